"""One oscillator, one spring: the step of eqs. (66)-(68) for a whole history.

Letters follow the paper and ``docs/glossary.md``: u displacement, p momentum, s slip u₁, X back force,
w accumulated slip, F = ΔJ/h mean spring force of the step, f* the load of the step.
Entry 0 of each node array holds the start; ``stride`` 0 keeps only the last X and w, 1 keeps them all.

A step is as long as the chain of operations from one state to the next. ``rows``, from
``schemes.prepare.LinearElement``, therefore hold F, Δu and Δp of the elastic step as sums over the state, so that
none of them waits for another; the sums are grouped so that three operations lie between two states. Increments, not
new values, are what the rows hold: their rounding then stays in proportion to the step, and energy does not drift.
"""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence

from hamex.march.sampling import END, MEAN, means, nodes

Numbers = Sequence[float]
Out = MutableSequence[float]
Row = tuple[float, float, float, float, float]  # per unit of f*, s, p, u, and of excess force
Rows = tuple[Row, Row, Row, float]  # of F, Δu and Δp; Δs per unit of excess force

BLOCK = 1024  # steps whose load is read at once, small enough to stay in the nearest cache


def galerkin(
    opening: Numbers,
    closing: Numbers,
    scale: float,
    rows: Rows,
    yield_force: float,
    kinematic: float,
    isotropic: float,
    stride: int,
    u: Out,
    p: Out,
    s: Out,
    X: Out,
    w: Out,
    F: Out,
) -> int:
    """March the linear time element; f* = scale · (opening + closing)/2 of each step."""
    return _steps(opening, closing, scale, rows, yield_force, kinematic, isotropic, stride, 0, len(F), u, p, s, X, w, F)


def galerkin_record(
    samples: Numbers,
    base: float,
    first: int,
    ratio: float,
    rule: int,
    scale: float,
    rows: Rows,
    yield_force: float,
    kinematic: float,
    isotropic: float,
    stride: int,
    work: Out,
    u: Out,
    p: Out,
    s: Out,
    X: Out,
    w: Out,
    F: Out,
) -> int:
    """The same under a record, read block by block as :mod:`hamex.march.sampling` does; no step's load is stored.

    ``work`` holds a block of loads and one more.
    """
    size = len(work) - 1
    same = base == 0.0 and ratio == 1.0 and rule != MEAN  # nodes are samples
    for begin in range(0, len(F), size):
        count = min(size, len(F) - begin)
        at = first + begin
        if same and at + count < len(samples):
            opening = at + 1 if rule == END else at
            _steps(
                samples[opening : opening + count],
                samples[at + 1 : at + 1 + count],
                scale,
                rows,
                yield_force,
                kinematic,
                isotropic,
                stride,
                begin,
                count,
                u,
                p,
                s,
                X,
                w,
                F,
            )
        elif rule == MEAN:
            means(samples, base, at, ratio, work)
            _steps(work, work, scale, rows, yield_force, kinematic, isotropic, stride, begin, count, u, p, s, X, w, F)
        else:
            nodes(samples, base, at, ratio, work)
            _steps(
                work[1:] if rule == END else work,
                work[1:],
                scale,
                rows,
                yield_force,
                kinematic,
                isotropic,
                stride,
                begin,
                count,
                u,
                p,
                s,
                X,
                w,
                F,
            )
    return 0


def _steps(
    opening: Numbers,
    closing: Numbers,
    scale: float,
    rows: Rows,
    yield_force: float,
    kinematic: float,
    isotropic: float,
    stride: int,
    begin: int,
    count: int,
    u: Out,
    p: Out,
    s: Out,
    X: Out,
    w: Out,
    F: Out,
) -> int:
    """``count`` steps from node ``begin`` on.

    The elastic trial fixes the direction of slip (section 5.2), so one pass per step is exact.
    """
    (F_f, F_s, F_p, F_u, F_e), (u_f, u_s, u_p, u_u, u_e), (p_f, p_s, p_p, p_u, p_e), s_e = rows
    half = 0.5 * scale
    begin = max(begin, 0)  # lets the compiler see that no index counts from the end
    ur, pr, sr, Xr, wr = u[begin], p[begin], s[begin], X[stride * begin], w[stride * begin]
    limit = yield_force + isotropic * wr
    low, high = Xr - limit, Xr + limit
    for r in range(count):
        f = half * (opening[r] + closing[r])
        Fr = (F_s * sr + F_p * pr) + (F_u * ur + F_f * f)  # elastic trial, eq. (66)
        after = (u_s * sr + u_p * pr) + (u_u * ur + (ur + u_f * f))
        pr = (p_s * sr + p_u * ur) + (p_p * pr + (pr + p_f * f))
        ur = after
        if Fr > high or Fr < low:  # eqs. (67)-(68)
            excess = Fr - high if Fr > high else Fr - low
            slip = s_e * excess
            Fr -= F_e * excess
            ur += u_e * excess
            pr += p_e * excess
            sr += slip
            wr += abs(slip)
            if stride:
                Xr += kinematic * slip
                limit = yield_force + isotropic * wr
                low, high = Xr - limit, Xr + limit
        u[begin + r + 1] = ur
        p[begin + r + 1] = pr
        s[begin + r + 1] = sr
        F[begin + r] = Fr
        if stride:
            X[begin + r + 1] = Xr
            w[begin + r + 1] = wr
    if not stride:
        X[0], w[0] = Xr, wr
    return 0
