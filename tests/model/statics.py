"""Small helpers for tests of builders: elastic stiffness, flexibility at a dof, rigid motions."""

import numpy as np

from hamex.model.record import dense


def elastic(model):
    """K + B A⁻¹ Bᵀ."""
    b = dense(model.compatibility)
    return dense(model.stiffness) + b @ np.linalg.inv(dense(model.flexibility)) @ b.T


def stiffness_at(model, dof):
    """Force per displacement of one dof, all others free."""
    place = model.dofs.index(dof)
    return 1 / np.linalg.inv(elastic(model))[place, place]


def strain_of_rigid_motion(model, nodes, shift, turn=None):
    """Deformation of the springs when all dofs and supports move as one rigid body: must vanish.

    ``turn`` is the rotation: a number in a plane, a vector in space.
    """

    def motion(label):
        name, _, part = label.rpartition(".")
        place = np.array(nodes[name], dtype=float)
        if len(place) == 2:
            moved = np.array(shift) + (turn or 0.0) * np.array([-place[1], place[0]])
            return {"x": moved[0], "y": moved[1], "rz": turn or 0.0}[part]
        spin = np.zeros(3) if turn is None else np.array(turn)
        moved = np.array(shift) + np.cross(spin, place)
        return dict(zip(("x", "y", "z", "rx", "ry", "rz"), (*moved, *spin), strict=True))[part]

    free = np.array([motion(label) for label in model.dofs])
    held = np.array([motion(label) for label in model.support_names])
    return model.compatibility.T @ free + model.supports.T @ held
