"""Meshes for tests of bodies: one of each kind of cell, bent so that no two cells are alike."""

import dataclasses

import numpy as np

import hamex as hx

# Degree of exactness of a quadrature that integrates stresses as the builder promises (docs of hamex.solid).
EXACT = {("tri", 1): 1, ("tri", 2): 2, ("quad", 1): 3, ("quad", 2): 5}
EXACT |= {("tet", 1): 1, ("tet", 2): 2, ("hex", 1): 3, ("hex", 2): 5}
ALL = tuple(EXACT)
IN_THE_PLANE = tuple(kind for kind in ALL if kind[0] in ("tri", "quad"))
IN_SPACE = tuple(kind for kind in ALL if kind[0] in ("tet", "hex"))


def block(cell, counts=(3, 2, 2), sizes=(2.0, 1.0, 1.0)):
    """A rectangle or a box of cells."""
    if cell in ("tri", "quad"):
        return hx.meshes.rectangle(
            *sizes[:2], tuple(counts[:2]), cells="triangles" if cell == "tri" else "quadrilaterals"
        )
    return hx.meshes.box(*sizes, tuple(counts), cells="tetrahedra" if cell == "tet" else "hexahedra")


def moved(mesh, place):
    """The mesh with its points at place(points)."""
    return dataclasses.replace(mesh, doflocs=np.ascontiguousarray(place(mesh.p)))


def bent(mesh, by=0.06):
    """All points shifted a little, those of the boundary too."""
    phase = np.arange(1.0, len(mesh.p) + 1)[:, None]

    def place(x):
        waves = np.sin(2.1 * x[0] + phase) + np.cos(1.7 * x[1] - 2 * phase)
        return x + by * (waves + (np.sin(1.3 * x[-1] * phase) if len(x) == 3 else 0.0))

    return moved(mesh, place)


def squeezed(mesh, by=0.05):
    """Points shifted inside a unit square or cube alone, smoothly, so that cells stay alike under refinement."""

    def place(x):
        bump = by * np.prod(np.sin(np.pi * x), axis=0)
        return x + bump * np.array([1.0, -0.7, 0.5])[: len(x), None]

    return moved(mesh, place)
