"""Random structures whose springs are followed along their path, and loads on them: run number i is made from seed i
alone. Every law of :data:`LAWS` on one to thirty springs, with and without P-Delta, on oscillators, shear frames (of
one law, of several, with floors without mass) and general structures."""

import math

import numpy as np

import hamex as hx
from hamex.errors import ModelError
from hamex.model.record import dense

STEPS = 1000  # of a run


def between(rng, low, high):
    """A number between two, evenly by its logarithm."""
    return float(math.exp(rng.uniform(math.log(low), math.log(high))))


def backbone(rng, k, u):
    """Hardening, plastic and falling range and residual of the positive side, and of the negative one in half of the
    springs."""
    found = {}
    for sign in ("", "_negative")[: int(rng.integers(1, 3))]:
        cap = found[f"cap_ratio{sign}"] = rng.uniform(1.0, 1.5)
        found[f"plastic{sign}"] = u * max(between(rng, 0.3, 10), 1.1 * (cap - 1))  # what hardens is softer than elastic
        found[f"post_cap{sign}"] = u * between(rng, 2, 30)
        found[f"residual_ratio{sign}"] = rng.uniform(0.0, 0.5)
    return found


def imk(reloading, rule):
    def make(rng, k, u):
        modes = ("lambda_s", "lambda_c", "lambda_k", *(() if reloading == "bilinear" else ("lambda_a",)))
        wear = {mode: u * between(rng, 3, 300) for mode in modes if rng.random() < 0.7}
        pinch = {"kappa_f": rng.uniform(0.1, 0.9), "kappa_d": rng.uniform(0.1, 0.9)} if reloading == "pinching" else {}
        last = {"ultimate": u * between(rng, 10, 60)} if rng.random() < 0.15 else {}
        return hx.laws.IMK(k * u, **backbone(rng, k, u), reloading=reloading, rule=rule, **wear, **pinch, **last)

    return make


def bilinear(rng, k, u):
    last = {"ultimate": u * between(rng, 10, 60)} if rng.random() < 0.2 else {}
    return hx.laws.Bilinear(k * u, **backbone(rng, k, u), **last)


def multilinear(rng, k, u):
    def side():
        count = int(rng.integers(1, 5))
        at = u * np.cumsum(rng.uniform(0.3, 3.0, count))
        force = k * u * rng.uniform(0.3, 1.2, count)
        force[-1] = max(force[-1], force[-2] if count > 1 else force[-1])
        return [(float(a), float(b)) for a, b in zip(at, force, strict=True)]

    return hx.laws.MultilinearElastic(side(), side() if rng.random() < 0.7 else [])


def gap(rng, k, u):
    corner = float(rng.choice([math.inf, k * u]))
    hook = float(rng.choice([math.inf, u * rng.uniform(0, 2)]))
    return hx.laws.Gap(u * rng.uniform(0, 2), hook, corner, k * rng.uniform(0, 2))


def hysteretic(rng, k, u):
    def side(sign, mark):
        e = u * np.cumsum([1.0, *rng.uniform(0.5, 6.0, 2)])
        s = k * u * np.array([1.0, rng.uniform(0.8, 1.5), rng.uniform(0.2, 1.5)])
        return {f"{x}{i + 1}{mark}": sign * float(v[i]) for i in range(3) for x, v in (("s", s), ("e", e))}

    more = side(-1.0, "n") if rng.random() < 0.5 else {}
    wear = {"damage1": rng.uniform(0, 0.03), "damage2": rng.uniform(0, 0.03), "beta": rng.uniform(0, 0.5)}
    return hx.laws.Hysteretic(**side(1.0, "p"), **more, pinchX=rng.uniform(0, 1), pinchY=rng.uniform(0, 1), **wear)


def pinching4(rng, k, u):
    e = u * np.cumsum([1.0, *rng.uniform(0.5, 5.0, 3)])
    s = k * u * np.array([1.0, rng.uniform(1.0, 1.4), rng.uniform(0.7, 1.3), rng.uniform(0.1, 0.6)])
    points = {f"eP{x}{i + 1}": float(v[i]) for i in range(4) for x, v in (("f", s), ("d", e))}
    wear = {f"g{x}{i}": rng.uniform(0, 0.4) for x in "KDF" for i in (1, 2, 3, 4)}
    limits = {f"g{x}Lim": rng.uniform(0, 0.8) for x in "KDF"}
    ways = {"rDispP": rng.uniform(-0.3, 0.8), "rForceP": rng.uniform(0.05, 0.6), "uForceP": rng.uniform(-0.3, 0.3)}
    return hx.laws.Pinching4(**points, **ways, **wear, **limits, gE=between(rng, 1, 30))


def steel(rng, k, u):
    isotropic = {"a1": rng.uniform(0, 0.1), "a2": rng.uniform(1, 4), "a3": rng.uniform(0, 0.1), "a4": rng.uniform(1, 4)}
    more = isotropic if rng.random() < 0.5 else {}
    return hx.laws.MenegottoPinto(k * u, rng.uniform(0, 0.1), rng.uniform(10, 25), cR1=rng.uniform(0.8, 0.93), **more)


def bouc_wen(rng, k, u):
    n, share = rng.uniform(1, 4), rng.uniform(0.3, 0.9)
    scale = u**-n
    wear = {f"delta{x}": rng.uniform(0, 0.02) / u for x in ("A", "Nu", "Eta")} if rng.random() < 0.5 else {}
    return hx.laws.BoucWen(rng.uniform(0, 0.3), n, (1 - share) * scale, share * scale, **wear)


def slider(rng, k, u):
    viscosity = float(rng.choice([0.0, k * between(rng, 1e-4, 1e-1)]))
    return hx.Slider(k * u, viscosity, k * float(rng.choice([0.0, 0.05])), k * float(rng.choice([0.0, 0.05])))


def min_max(rng, k, u):
    part = hx.laws.Bilinear(k * u) if rng.random() < 0.5 else steel(rng, k, u)
    return hx.laws.MinMax(part, min=-u * between(rng, 5, 60), max=u * between(rng, 5, 60))


def fatigue(rng, k, u):
    return hx.laws.Fatigue(steel(rng, k, u), E0=u * between(rng, 20, 200), m=-rng.uniform(0.4, 0.6))


def parallel(rng, k, u):
    share = rng.uniform(0.2, 0.8)
    return hx.laws.ParallelLaws([bilinear_whole(rng, share * k, u), steel(rng, (1 - share) * k, u)], [share, 1 - share])


def nested(rng, k, u):
    """A bar that tires beside a wall that goes on, between limits."""
    bar = hx.laws.Fatigue(steel(rng, 0.5 * k, u), E0=u * between(rng, 20, 200))
    both = hx.laws.ParallelLaws([bar, bilinear_whole(rng, 0.5 * k, u)])
    return hx.laws.MinMax(both, min=-u * between(rng, 10, 60), max=u * between(rng, 10, 60))


def bilinear_whole(rng, k, u):
    return hx.laws.Bilinear(k * u, **backbone(rng, k, u))


@hx.laws.own(
    stiffness=100.0,
    reach=0.1,
    example={"fy": 1.0, "soft": 0.1},
    state=("plastic", "slipped"),
    softest=lambda k, fy, soft: -soft * k,
)
def wearing(e0, f0, e, state, k, fy, soft):
    """Yields at a limit that falls with all slip to a third of what it was."""
    plastic, slipped = state
    fall = soft / (1.0 + soft) * k  # of the limit with slip: the tangent is −soft·k
    limit = max(fy - fall * slipped, fy / 3.0)
    trial = k * (e - plastic)
    if abs(trial) <= limit:
        return trial, k, (plastic, slipped)
    way = 1.0 if trial > 0.0 else -1.0
    slip = (abs(trial) - limit) / (k - fall)
    if fy - fall * (slipped + slip) >= fy / 3.0:
        return trial - way * k * slip, -soft * k, (plastic + way * slip, slipped + slip)
    slip = (abs(trial) - fy / 3.0) / k
    return way * fy / 3.0, 0.0, (plastic + way * slip, slipped + slip)


def own(rng, k, u):
    return wearing(fy=k * u, soft=between(rng, 0.01, 0.3))


LAWS = {
    **{
        f"imk {reloading} {rule}": imk(reloading, rule)
        for reloading in ("bilinear", "peak", "pinching")
        for rule in ("published", "opensees")
    },
    "bilinear": bilinear,
    "multilinear": multilinear,
    "gap": gap,
    "hysteretic": hysteretic,
    "pinching4": pinching4,
    "steel": steel,
    "bouc-wen": bouc_wen,
    "slider": slider,
    "min max": min_max,
    "fatigue": fatigue,
    "parallel": parallel,
    "nested": nested,
    "own": own,
}


def weighed(make, rng):
    """A model with P-Delta, of as much weight as the elastic frame carries, or less."""
    weight = 1.0 if rng.random() < 0.5 else 0.0
    for _ in range(20):
        try:
            return make(weight)
        except ModelError:
            weight *= 0.3
    return make(0.0)


def shear_frame(rng, names, u):
    """Storeys of one law or of several, P-Delta in half of them, floors without mass in a few."""
    storeys = int(rng.integers(1, 31))
    masses = rng.uniform(0.5, 2.0, storeys)
    k = between(rng, 50, 500) * rng.uniform(0.5, 1.5, storeys)
    laws = [LAWS[names[i % len(names)]](rng, float(k[i]), u * rng.uniform(0.5, 1.5)) for i in range(storeys)]
    if storeys > 2 and rng.random() < 0.2:
        at = int(rng.integers(storeys - 1))
        masses[at] = 0.0
        laws[at] = hx.Slider(math.inf)
    damping = [0.0, hx.ratio(0.02), hx.modal(0.05, modes=1), hx.rayleigh(0.03)][rng.integers(4 if storeys > 1 else 2)]
    share = between(rng, 0.01, 0.5) * k.min() * 3.0 / storeys

    def make(weight):
        return hx.shear_frame(masses, k, damping, laws, heights=3.0, weights=weight * share if weight else None)

    return weighed(make, rng)


def oscillator(rng, names, u):
    k = between(rng, 10, 1000)
    law = LAWS[names[0]](rng, k, u)
    return hx.oscillator(between(rng, 0.1, 10), k, float(rng.choice([0.0, 0.05 * math.sqrt(k)])), law)


def structure(rng, names, u):
    """Random masses and compatibility, K negative in one direction in half of them; more springs than dofs."""
    dofs = int(rng.integers(1, 9))
    springs = int(rng.integers(dofs, 31))
    k = between(rng, 50, 500) * rng.uniform(0.3, 3.0, springs)
    B = rng.normal(size=(dofs, springs)) * (rng.random((dofs, springs)) < max(0.3, 2 / dofs))
    B[rng.integers(dofs, size=springs), np.arange(springs)] += 1.0
    laws = {i: LAWS[names[i % len(names)]](rng, float(k[i]), u * rng.uniform(0.5, 1.5)) for i in range(springs)}
    elastic = (B * k) @ B.T
    shape = rng.normal(size=(dofs, 1))
    most = 1 / float((shape.T @ np.linalg.lstsq(elastic, shape, rcond=None)[0])[0, 0])
    K = float(rng.choice([0.0, -most * between(rng, 0.01, 0.7)])) * shape @ shape.T
    mass = np.diag(rng.uniform(0.2, 2.0, dofs))
    return hx.structure(mass, float(rng.choice([0.0, 0.002])) * elastic, np.diag(1 / k), B, laws, stiffness=K)


MODELS = {"oscillator": oscillator, "shear frame": shear_frame, "structure": structure}


class Drawn:
    """Run number ``seed``: a problem below the bound, its scheme, and what it is made of."""

    def __init__(self, seed, factor=None, steps=STEPS, laws=None):
        rng = self.rng = np.random.default_rng(seed)
        self.seed, self.steps = seed, steps
        while True:
            kind = str(rng.choice(list(MODELS), p=[0.25, 0.5, 0.25]))
            known = list(laws or LAWS)
            many = 1 if kind == "oscillator" or rng.random() < 0.5 else int(rng.integers(2, 5))
            self.laws = [str(name) for name in rng.choice(known, many)]
            self.kind, self.u = kind, between(rng, 1e-3, 1e-1)
            try:
                self.model = MODELS[kind](rng, self.laws, self.u)
                limit = hx.Galerkin(0.01, law="path").longest_step(self.model)
            except ModelError:  # what builders refuse, and joints that no step holds
                continue
            break
        period = 2 * math.pi / frequency(self.model)
        share = rng.uniform(0.3, 0.99) if factor is None else factor
        longest = share * limit if factor is not None or rng.random() < 0.5 else period * between(rng, 0.01, 2.0)
        self.limit = limit
        h = min(longest, share * limit) if math.isfinite(limit) else period * between(rng, 0.01, 2.0)
        self.scheme = hx.Galerkin(h, law="path")
        strength = float(np.median(np.diag(1 / np.diag(dense(self.model.flexibility))).max(axis=1))) * self.u
        self.strength, self.period = strength, period
        self.shake()

    def shake(self):
        """Draw another load."""
        h, many, rng = self.scheme.step, len(self.model.dofs), self.rng
        force = self.strength * between(rng, 0.3, 5.0)
        noise = rng.normal(size=(self.steps + 1, many))
        wave = np.sin(np.outer(np.arange(self.steps + 1) * h, np.full(many, 2 * math.pi / self.period)))
        self.forces = force * (0.5 * noise + wave)
        self.problem = hx.Problem(self.model, hx.Load(self.forces, step=h), self.steps * h)


def frequency(model):
    """Lowest natural frequency of the model at its first stiffness [rad/s], roughly."""
    B, k = dense(model.compatibility), 1 / np.diag(dense(model.flexibility))
    K, M = (B * k) @ B.T + dense(model.stiffness), dense(model.mass)
    slow = np.linalg.eigvals(np.linalg.lstsq(K, M, rcond=None)[0]).real.max()
    return 1 / math.sqrt(slow) if slow > 0 else 1.0


def is_pushed_over(drawn):
    """Whether some stiffness is negative: what has yielded may then run away."""
    return bool(np.linalg.eigvalsh(dense(drawn.model.stiffness))[0] < 0)
