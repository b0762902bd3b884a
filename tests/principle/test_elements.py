"""Tables of the time elements: emitted from the shape functions, and proved to be what the step form does.

A step of the structure's action (mass, dashpot, stiffness beside the spring, spring, hardening, slip rates as given
forces) is solved from its rows with random rational parameters, and compared with collocation on the differential
equations u̇ = v, mv̇ = f − cv − ku − bF, aF = bu − u₁, u̇₁ = g, xẊ = g, rṘ = w, written here by hand.
"""

from math import acos, cos, factorial, pi, sqrt, ulp

import mpmath as mp
import numpy as np
import pytest
import sympy as sp

from hamex.principle import emit
from hamex.principle.jets import t
from hamex.principle.library import action
from hamex.principle.stepform import h, histories, jump_form, shapes, step_form, tau
from hamex.schemes import _generated

FAMILIES = [(s, False) for s in emit.CONTINUOUS] + [(s, True) for s in emit.DISCONTINUOUS]
m, c, k, a, b, x, r = sp.symbols("m c k a b x r", positive=True)


def emitted(degree, jumps):
    return (_generated.DISCONTINUOUS if jumps else _generated.CONTINUOUS)[degree]


def generated_tables():
    text = emit.GENERATED.read_text(encoding="utf-8")
    return text[text.index("\n\nclass ElementTable") :]  # what stands before: test_emit


def test_the_generated_file_is_what_the_shape_functions_yield():
    assert generated_tables() == emit.elements_source(), "run python -m hamex.principle.emit and see what changed"


@pytest.mark.heavy
def test_another_quadrature_changes_the_file(monkeypatch):
    monkeypatch.setattr(emit, "gauss_rule", lambda points: emit.radau_rule(points))
    assert emit.elements_source() != generated_tables()


class Step:
    """One step of the structure's rows with random rational numbers, in 50 digits."""

    def __init__(self, degree, jumps, seed):
        rng = np.random.default_rng(seed)
        form = (jump_form if jumps else step_form)(emit.structure(), degree)
        self.form, self.fields = form, form.action.fields
        loads = [f for values in form.load_symbols.values() for f in values]
        self.numbers = {
            s: sp.Rational(int(rng.integers(1, 60)), int(rng.integers(7, 20)))
            * (1 if s.is_positive else int(rng.choice([-1, 1])))
            for s in (m, c, k, a, b, x, r, h, *form.knowns, *loads)
        }
        rows = [row.xreplace(self.numbers) for row in form.branches["smooth"]]
        roots = {root: root.evalf(60) for row in rows for root in row.atoms(sp.CRootOf)}
        B, z = sp.linear_eq_to_matrix([row.xreplace(roots) for row in rows], form.unknowns)
        solved = mp.lu_solve(matrix(B), matrix(z))
        self.new = dict(zip(form.unknowns, (sp.Float(str(y), 50) for y in solved), strict=True))
        if jumps:
            trial = histories(form.action, degree, form.old, form.new)
        else:
            trial = {
                q: sum(n * y for n, y in zip(shapes(degree), [form.old[q], *form.new[q]], strict=True))
                for q in self.fields
            }
            trial |= {q.diff(t): sp.diff(trial[q], tau) / h for q in self.fields}
        self.trial = {key: e.xreplace(self.numbers).xreplace(self.new) for key, e in trial.items()}

    def at(self, expression, instants):
        return [mpf(self.trial[expression].subs(tau, instant)) for instant in instants]


def mpf(number):
    return mp.mpf(str(sp.N(number, 50)))


def matrix(M):
    return mp.matrix([[mpf(e) for e in row] for row in (M.tolist() if isinstance(M, sp.MatrixBase) else M)])


def collocation(step, table):
    """Stage values and rates of (u, v, u₁, xX, rR) by the table, on equations written by hand."""
    n, nodes = step.numbers, len(table.nodes)
    u, J, X, R = step.fields
    A = matrix(table.matrix)
    # y' = L y + given, with F = (b u − u₁)/a
    L = sp.zeros(5, 5)
    L[0, 1] = 1
    L[1, 0], L[1, 1], L[1, 2] = -(n[k] + n[b] ** 2 / n[a]) / n[m], -n[c] / n[m], n[b] / (n[a] * n[m])
    start = sp.Matrix(
        [
            n[step.form.old[u]],
            n[step.form.momentum_old[u]] / n[m],
            -n[step.form.momentum_old[J]],
            n[step.form.momentum_old[X]],
            n[step.form.momentum_old[R]],
        ]
    )
    L, start, H = matrix(L), matrix(start), mpf(n[h])
    load = {q: [mpf(n[f]) for f in values] for q, values in step.form.load_symbols.items()}
    big, right = mp.eye(5 * nodes), mp.matrix(5 * nodes, 1)
    for i in range(nodes):
        given = [0, load[u][i] / mpf(n[m]), -load[J][i], load[X][i], load[R][i]]  # the load on J is −g
        for p in range(5):
            right[5 * i + p] = given[p] + sum(L[p, q] * start[q] for q in range(5))
            for j in range(nodes):
                for q in range(5):
                    big[5 * i + p, 5 * j + q] -= H * A[i, j] * L[p, q]
    rates = mp.lu_solve(big, right)
    K = mp.matrix(nodes, 5)
    for i in range(nodes):
        for p in range(5):
            K[i, p] = rates[5 * i + p]
    stages = [[start[p] + H * sum(A[i, j] * K[j, p] for j in range(nodes)) for p in range(5)] for i in range(nodes)]
    return start, K, stages, H


# Seconds of algebra from the third of each family on. Their tables are Padé's below; so are the rows of degree 4,
# and those of degree 3 and of degree 2 with jumps in test_stepform and test_jumps.
ALGEBRA = [pytest.param(s, jumps, marks=pytest.mark.heavy) if s + jumps > 2 else (s, jumps) for s, jumps in FAMILIES]


@pytest.mark.parametrize(("degree", "jumps"), ALGEBRA)
@pytest.mark.chief("1-False", "0-True")
def test_one_step_of_the_rows_is_one_step_of_the_table(degree, jumps):
    """In 50 digits with the table as derived, to 1e-13 with the doubles of the file; ends, stages, inside, jump."""
    with mp.workdps(50):
        step = Step(degree, jumps, seed=degree + 10 * jumps)
        u, J, X, R = step.fields
        n, form = step.numbers, step.form
        for table, tolerance in ((emit.element_table(degree, jumps), 1e-40), (emitted(degree, jumps), 1e-13)):
            start, K, stages, H = collocation(step, table)
            size, weights, d = len(table.nodes), [mpf(w) for w in table.weights], [mpf(w) for w in table.jump]
            nodes = [sp.Float(node, 50) for node in table.nodes]

            def moved(coefficients, p, start=start, K=K, H=H, size=size):
                return start[p] + H * sum(coefficients[j] * K[j, p] for j in range(size))

            # Ends: u, p, slip, kinematic, isotropic.
            mine = [
                step.new[form.new[u][-1]],
                step.new[form.momentum_new[u]],
                -step.new[form.momentum_new[J]],
                step.new[form.momentum_new[X]],
                step.new[form.momentum_new[R]],
            ]
            ends = [moved(weights, p) * (mpf(n[m]) if p == 1 else 1) for p in range(5)]
            scale = max(abs(e) for e in ends)
            assert max(abs(mpf(y) - e) for y, e in zip(mine, ends, strict=True)) < tolerance * scale
            # Stages: places, rates, forces F, X, R.
            F = [(mpf(n[b]) * stage[0] - stage[2]) / mpf(n[a]) for stage in stages]
            expected = [
                *(s[0] for s in stages),
                *(s[1] for s in stages),
                *F,
                *(s[3] / mpf(n[x]) for s in stages),
                *(s[4] / mpf(n[r]) for s in stages),
            ]
            found = [*step.at(u, nodes), *(y for q in (u, J, X, R) for y in step.at(q.diff(t), nodes))]
            scale = max(abs(e) for e in expected)
            assert max(abs(y - e) for y, e in zip(found, expected, strict=True)) < 10 * tolerance * scale
            # Inside the step, and the jump at its start.
            theta = sp.Rational(3, 10)
            dense = matrix(table.dense)
            inside = [sum(dense[j, i] * mpf(theta) ** (i + 1) for i in range(size)) for j in range(size)]
            bump = mp.fprod([1 - mpf(theta) / mpf(node) for node in nodes])
            field = moved(inside, 0) + bump * (moved(d, 0) - start[0])
            assert abs(step.at(u, [theta])[0] - field) < 10 * tolerance * scale
            assert abs(step.at(u, [sp.S.Zero])[0] - moved(d, 0)) < 10 * tolerance * scale


def test_the_rows_of_a_nonlinear_lagrangian_vanish_on_the_step_of_the_table():
    """Pendulum, jumps, degree 1: the sine is taken at the Radau points."""
    form, e = jump_form(action("pendulum"), 1), emitted(1, True)
    q = form.action.fields[0]
    mass, length, gravity = 1.3, 0.8, 9.8
    A, step, start = np.array(e.matrix), 0.2, np.array([2.0, -1.5])
    rates = np.zeros((2, 2))
    for _ in range(200):  # a contraction at this step
        stages = start + step * A @ rates
        rates = np.column_stack([stages[:, 1], -gravity / length * np.sin(stages[:, 0])])
    inertia = mass * length**2
    values = {
        form.old[q]: start[0],
        form.momentum_old[q]: inertia * start[1],
        form.new[q][0]: start[0] + step * np.array(e.jump) @ rates[:, 0],
        form.new[q][1]: stages[1, 0],
        form.momentum_new[q]: inertia * stages[1, 1],
        h: step,
    }
    numbers = values | {
        s: {"m": mass, "l": length, "g": gravity}[s.name]
        for row in form.branches["smooth"]
        for s in row.free_symbols
        if s.name in "mlg"
    }
    assert max(abs(float(row.subs(numbers))) for row in form.branches["smooth"]) < 1e-14 * inertia * 10


def pade(Z, j, n):
    """The Padé approximant of exp Z, numerator of degree j, denominator of degree n, from its definition."""

    def part(order, W):
        weights = [
            factorial(j + n - i) * factorial(order) / (factorial(j + n) * factorial(i) * factorial(order - i))
            for i in range(order + 1)
        ]
        return sum(w * np.linalg.matrix_power(W, i) for i, w in enumerate(weights))

    return np.linalg.solve(part(n, -Z), part(j, Z))


@pytest.mark.parametrize(("degree", "jumps"), FAMILIES)
@pytest.mark.parametrize("step", [0.3, 2.0, 9.0])
@pytest.mark.parametrize("ratio", [0.0, 0.05, 1.5])
def test_the_tables_are_pade(degree, jumps, step, ratio):
    Z = step * np.array([[0.0, 1.0], [-1.0, -2 * ratio]])
    e = emitted(degree, jumps)
    size, A = len(e.nodes), np.array(e.matrix)
    rates = np.linalg.solve(np.eye(2 * size) - np.kron(A, Z), np.kron(np.ones((size, 1)), Z))
    G = np.eye(2) + np.kron(np.array([e.weights]), np.eye(2)) @ rates
    assert np.abs(G - pade(Z, degree, degree + jumps)).max() < 1e-13


@pytest.mark.heavy
def test_degree_4_of_the_rows_is_pade_4_4_exactly():
    """Degrees 1 to 3 stand in symbols in test_stepform; here rational numbers, no round-off."""
    values = {m: 1, a: 1, c: sp.Rational(3, 7), h: sp.Rational(5, 4)}
    G = step_form(action("forced"), 4).amplification(values=values).extract([0, 2], [0, 2])
    Z = values[h] * sp.Matrix([[0, 1], [-1, -values[c]]])
    weights = [
        sp.Rational(factorial(8 - i) * factorial(4), factorial(8) * factorial(i) * factorial(4 - i)) for i in range(5)
    ]
    assert sum((w * (-Z) ** i for i, w in enumerate(weights)), sp.zeros(2)) * G == sum(
        (w * Z**i for i, w in enumerate(weights)), sp.zeros(2)
    )


@pytest.mark.parametrize(
    ("degree", "percent", "digits"),
    [(1, 3.207, 3), (2, 0.0211, 4), pytest.param(3, 0.0001, 4, marks=pytest.mark.heavy)],
)
def test_period_elongation_at_a_tenth_of_the_period(degree, percent, digits):
    """From the amplification of the derived rows: Ω/acos(trace/2) − 1; and no decay, determinant 1."""
    G = step_form(action("forced"), degree).amplification(values={m: 1, a: 1, c: 0}).extract([0, 2], [0, 2])
    angle = 2 * pi / 10
    number = np.array(G.subs(h, angle).evalf(30).tolist(), dtype=float)
    assert np.linalg.det(number) == pytest.approx(1, abs=1e-15)
    assert round(100 * (angle / acos(np.trace(number) / 2) - 1), digits) == percent


@pytest.mark.parametrize(("degree", "jumps"), FAMILIES)
def test_the_last_digits(degree, jumps):
    """Entries are the nearest doubles, and with their remainders right to 30 digits: order conditions in exact sums."""
    e, exact = emitted(degree, jumps), emit.element_table(degree, jumps)
    size = len(e.nodes)
    high = sp.Matrix(e.matrix).applyfunc(lambda y: sp.Float(y, 60))
    low = sp.Matrix(e.matrix_low).applyfunc(lambda y: sp.Float(y, 60))
    for i in range(size):
        for j in range(size):
            assert abs(e.matrix_low[i][j]) <= ulp(e.matrix[i][j]) / 2
            assert abs(high[i, j] + low[i, j] - exact.matrix[i, j]) < 1e-32
        assert abs(sum(high.row(i)) + sum(low.row(i)) - exact.nodes[i]) < 1e-32
        assert abs(e.nodes[i] - exact.nodes[i]) <= ulp(e.nodes[i]) / 2
    assert abs(sum(sp.Float(w, 60) for w in (*e.weights, *e.weights_low)) - 1) < 1e-32


@pytest.mark.parametrize(("degree", "jumps"), FAMILIES)
def test_the_defect_of_the_quadratic_identity_is_the_square_of_the_jump(degree, jumps):
    """bᵢaᵢⱼ + bⱼaⱼᵢ − bᵢbⱼ = dᵢdⱼ: zero for Gauss, rank one for Radau. Two runs never move apart (B-stability)."""
    e = emitted(degree, jumps)
    A, b_, d = np.array(e.matrix), np.array(e.weights), np.array(e.jump)
    defect = b_[:, None] * A + (b_[:, None] * A).T - np.outer(b_, b_)
    assert np.abs(defect - np.outer(d, d)).max() < 1e-16
    assert np.all(b_ > 0)
    assert (np.abs(d).max() > 0.1) == jumps


@pytest.mark.parametrize(("degree", "jumps"), FAMILIES)
def test_rates_of_the_dense_output_are_the_rates_of_the_stages(degree, jumps):
    e = emitted(degree, jumps)
    for i, theta in enumerate(e.nodes):
        for j, row in enumerate(e.dense):
            rate = sum((n + 1) * y * theta**n for n, y in enumerate(row))
            assert rate == pytest.approx(float(i == j), abs=1e-13)
            assert sum(y * theta ** (n + 1) for n, y in enumerate(row)) == pytest.approx(e.matrix[i][j], abs=1e-14)


@pytest.mark.parametrize(("degree", "jumps"), FAMILIES)
def test_the_balance_closes_for_a_nonlinear_law_at_the_stages(degree, jumps):
    """Power-law slip with kinematic hardening, g = (F − X)|F − X|, marched by the table; jumps as their own entry."""
    e = emitted(degree, jumps)
    A, b_, d, nodes = np.array(e.matrix), np.array(e.weights), np.array(e.jump), np.array(e.nodes)
    step, mass, damping, beside, soft, back = 0.3, 1.3, 0.4, 0.7, 0.2, 0.5
    state = np.array([0.4, -0.8, 0.1, 0.05])  # u, v, u₁, xX
    norm = np.array([[beside, 0, 0, 0], [0, mass, 0, 0], [0, 0, 0, 0], [0, 0, 0, 1 / back]])
    stretch = np.array([1.0, 0, -1, 0])
    norm = norm + np.outer(stretch, stretch) / soft  # a F² with F = (u − u₁)/a

    def rate(y, instant):
        F, X = (y[0] - y[2]) / soft, y[3] / back
        g = (F - X) * abs(F - X)
        return np.array([y[1], (cos(instant) - damping * y[1] - beside * y[0] - F) / mass, g, g])

    totals = np.zeros(4)  # gained, jumps, dissipated, supplied
    for number in range(20):
        instants = (number + nodes) * step

        def residual(flat, state=state, instants=instants):
            K = flat.reshape(len(nodes), 4)
            return np.concatenate([K[i] - rate(state + step * A[i] @ K, instants[i]) for i in range(len(nodes))])

        flat = np.concatenate([rate(state, instant) for instant in instants])
        for _ in range(30):  # Newton with differences
            value = residual(flat)
            slopes = np.array([(residual(flat + 1e-7 * unit) - value) / 1e-7 for unit in np.eye(len(flat))]).T
            flat = flat - np.linalg.solve(slopes, value)
            if np.abs(value).max() < 1e-14:
                break
        K = flat.reshape(len(nodes), 4)
        stages = state + step * A @ K
        new, jump = state + step * b_ @ K, step * d @ K
        dissipated = [damping * y[1] ** 2 + abs((y[0] - y[2]) / soft - y[3] / back) ** 3 for y in stages]
        supplied = [cos(instant) * y[1] for instant, y in zip(instants, stages, strict=True)]
        totals += [
            (new @ norm @ new - state @ norm @ state) / 2,
            jump @ norm @ jump / 2,
            step * b_ @ dissipated,
            step * b_ @ supplied,
        ]
        state = new
    assert abs(totals[0] + totals[1] + totals[2] - totals[3]) < 1e-13 * max(abs(totals))
    assert totals[2] > 0.1
    assert (totals[1] > 1e-7) == jumps
    assert sqrt(abs(state @ norm @ state)) < 10
