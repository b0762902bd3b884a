"""Several solutions: frames whose springs stand where they begin to fall, in steps above the bound."""

import itertools
import math

import numpy as np
from path_starts import Step, drawn_whole
from path_time import repeated

from hamex.schemes.springs import spring_blocks


def at_the_fall(seed, factor):
    """A frame or an oscillator of run number ``seed`` whose springs all stand where they begin to fall most steeply, a
    step of ``factor`` times the bound, and the direction in which it is softest; None where nothing falls."""
    drawn = drawn_whole(seed, 0.9)
    seen = drawn.scheme.sees(drawn.model)
    step = Step(seen, factor * drawn.limit)
    if step.B.shape[0] != step.B.shape[1]:
        return None
    soft = np.concatenate([group.law.softest(group, step_k, 0.5 * step.h) for group, step_k in stiffnesses(seen)])
    order = np.concatenate([group.first for group in seen.laws.values()])
    softest = np.zeros(len(order))
    softest[order] = np.minimum(soft, 0.0)
    v = np.linalg.eigh(step.S + 0.5 * step.h * (step.B * softest) @ step.B.T)[1][:, 0]
    way = np.sign(step.B.T @ v)
    u, z = np.zeros(len(v)), np.zeros(step.places.size)
    least, at = np.zeros(len(way)), np.zeros(len(way))
    small = 0.02 * drawn.u
    x = np.linalg.solve(step.B.T, way * small)
    for k in range(4000):
        step.at(u, z, x)
        steeper = step.T[: len(way)] < least - 1e-6 * abs(softest)
        least[steeper], at[steeper] = step.T[: len(way)][steeper], (k + 0.01) * small
        u, z = u + x, step.dz.copy()
    if not np.any(least < 0):
        return None
    u = np.linalg.solve(step.B.T, way * at)
    step.at(np.zeros(len(v)), np.zeros(step.places.size), u)
    return drawn, step, u, step.dz.copy(), v


def stiffnesses(model):
    """Groups of springs and their first stiffness."""
    blocks = spring_blocks(model)
    return [(group, blocks.by_group[kind]) for kind, group in model.laws.items() if len(group.springs)]


def several_found(first, tries, factor, tell=print, seconds=math.inf):
    """How many of so many random frames, pushed to where their springs begin to fall, have a step of ``factor`` times
    the bound with several solutions: under a load that has one solution in the softest direction."""
    rows, seeds = [], itertools.count(first)

    def more():
        there = at_the_fall(next(seeds), factor)
        if there is None:
            return 0
        drawn, step, u, z, v = there
        rows.append((several_of(drawn, step, u, z, v), len(u), drawn.seed, drawn.laws))
        return 1

    repeated(more, tries, seconds, lambda taken: f"{taken} frames", tell)
    found = [row for row in rows if row[0] > 1]
    said = f"{len(rows)} frames and oscillators at {factor:g} of the bound: {len(found)} with several solutions"
    if found:
        most, storeys, seed, laws = max(found, key=lambda row: row[1])
        said += f", of up to {storeys} storeys (seed {seed}, {laws}, has {most}); seeds {[row[2] for row in found[:8]]}"
    return said, len(found)


def several_of(drawn, step, u, z, v):
    """Solutions of a step that is softest along v, found from starts along v and from random ones."""
    rng, most = drawn.rng, 0
    for reach in drawn.u * np.geomspace(1e-3, 1.0, 7):
        value, slope = step.at(u, z, reach * v / np.abs(step.B.T @ v).max())
        if np.linalg.eigvalsh(slope)[0] > 0:
            continue
        way = v / np.abs(step.B.T @ v).max()
        line = [sign * size * way for sign in (1, -1) for size in drawn.u * np.geomspace(1e-4, 100, 19)]
        found, _ = step.solutions(u, z, value, [reach * way, *line, *(drawn.u * rng.normal(size=(12, len(u))))])
        most = max(most, len(found))
    return most
