"""Every way ends: pieces lead on however far out a spring is, a law whose pieces do not is named, and numbers that have
overflowed are passed on as such. References are analytic."""

import itertools
import math

import numpy as np
import pytest

import hamex as hx
from hamex.errors import ConvergenceError
from hamex.march import followed as closed
from hamex.march import run as kernels
from hamex.march import springs
from hamex.model.laws import bouc_wen, combined, gap, pinching4
from hamex.model.laws.path import PathLaw, followed_by, passed

NAN = math.nan
# Of seed 48 of tests/shared/path_fuzz.py, rounded: a few wide cycles move what it aims at by damage to a million times
# its first point.
FAR_AIMED = hx.laws.Hysteretic(
    14.76, 0.0672, 20.15, 0.2553, 19.67, 0.5239, s1n=-14.76, e1n=-0.0672, s2n=-15.16, e2n=-0.3002, s3n=-19.17,
    e3n=-0.3782, pinchX=0.64, pinchY=0.847, damage1=0.0136, damage2=0.0236, beta=0.0134,
)  # fmt: skip


def wide(seed):
    rng = np.random.default_rng(seed)
    far = rng.uniform(8, 14)
    return np.array([0.0, far, -far, far, rng.uniform(0, 4) - far, far, rng.uniform(-far, far), -far])


@pytest.mark.parametrize("seed", range(8))
def test_a_spring_that_aims_a_million_times_as_far_gets_there_in_a_few_pieces(seed):
    """The line had been told from its far end, where a force near zero has no digits left: pieces of 1e-10 without
    number."""
    path = wide(seed)
    found = hx.respond(FAR_AIMED, path, 219.7, events=True)
    aims = found.states["hysteretic_largest"].max(), found.states["hysteretic_largest_negative"].max()
    assert max(aims) > 1e5 * 0.0672
    assert len(found.force) < 40
    fine = np.concatenate([[0.0], *(np.linspace(a, b, 9)[1:] for a, b in itertools.pairwise(path))])
    many, few = hx.respond(FAR_AIMED, fine, 219.7).force[::8], found.force[~found.event]
    assert np.abs(many - few).max() <= 1e-9 * np.abs(few).max()


def test_a_level_spring_meets_a_steep_line_far_out():
    """What is left between a level force and the line that it meets was measured by the force alone, not by what the
    place on the line weighs: here 1e-13 of the force is less than the next number away."""
    law = hx.laws.Pinching4(1.0, 0.01, 1.0, 999.0, 1.0, 1000.0, 1.2, 1000.001)
    p, z = followed_by(law, 100.0, "test")[2], np.zeros(len(law.variables))
    z[pinching4.BRANCH], z[pinching4.POINTS + 6] = pinching4.LEVEL, 500.0
    for above in (2e-13, 1e-9):
        _, edge = pinching4.ahead(p, 0, 1.0, 1000.0, 1.0 + above, z.copy(), 0)
        assert edge > 1000.0


def creeping(p, r, e, way, z, o):
    """Pieces that end at the next number."""
    z[o + springs.LAST] = e
    z[o + springs.FORCE] = p[r] * e
    return p[r] * e, p[r], math.nextafter(e, way * math.inf)


class Creeping(PathLaw):
    """A law whose pieces lead nowhere; of no kind."""

    spring_piece = staticmethod(creeping)


@pytest.mark.parametrize("name", ["MOST_PIECES", "BROKEN", "LAST", "FORCE", "WAY"])
def test_laws_and_marches_mean_the_same_by_their_numbers(name):
    """Laws import nothing of the march; and code that is kept knows the files of both, no third one."""
    assert getattr(springs, name) == getattr(combined, name)


def test_a_law_whose_pieces_lead_nowhere_is_named():
    with pytest.raises(ConvergenceError, match="Creeping has more than 1000 straight pieces"):
        passed(Creeping, np.array([100.0]), 0.5, 1.0, 1.0, np.zeros(5))


@pytest.mark.parametrize("form", ["followed", "reached"])
def test_steps_of_a_law_whose_pieces_lead_nowhere_end_without_a_force(form):
    kernel, z = kernels.bound(getattr(springs, form), {"spring_piece": creeping}), np.array([0.0, 0.5, 50.0, 1.0, 0.0])
    force, _, _ = kernel(np.array([100.0]), 0, 0.5, 1.0, 1.0, 0.01, z, 0, 5, np.zeros(5))
    assert math.isnan(force)


def test_its_step_in_closed_form_ends_without_an_increment():
    kernel = kernels.bound(closed.by_pieces, {"spring_piece": creeping})
    z = np.array([0.0, 0.5, 50.0, 1.0, 0.0])
    _, d, _ = kernel(np.array([100.0]), 0, 1.0, 0.0, 0.0, 500.0, 0.1, 0.5, 0.0, 5, z, np.zeros(5))
    assert math.isnan(d)


@pytest.mark.parametrize("form", ["straight", "straight_end"])
def test_as_a_part_of_another_it_ends_without_a_force(form):
    kernel = kernels.bound(getattr(combined, form), {"part_piece": creeping, "MANY": 5})
    force, _, _ = kernel(np.array([100.0]), 0, 0.5, 1.0, 0.01, np.array([0.0, 0.5, 50.0, 1.0, 0.0]), 0, np.zeros(5))
    assert math.isnan(force)


@pytest.mark.parametrize(("e", "d"), [(0.0, NAN), (NAN, 1.0), (-0.5, NAN), (0.5, -math.inf), (math.inf, -math.inf)])
def test_numbers_that_overflowed_have_a_way_that_ends(e, d):
    """In elastic lines and gaps, which go from piece to piece; those of a number that is none lead nowhere."""
    lines = hx.laws.MultilinearElastic([(0.01, 1.0), (0.03, 1.5)])
    for law, along in ((hx.laws.Gap(0.01, 0.01), gap.along), (lines, gap.along_lines)):
        p, z = followed_by(law, 100.0, "test")[2], np.zeros(3)
        with np.errstate(all="ignore"):
            along(p, 0, e, d, 0.01, z, 0, z.copy())


def test_bouc_and_wen_pass_on_what_has_overflowed():
    law = hx.laws.BoucWen(0.02, 1.5, 300.0, 700.0, deltaA=0.3, deltaNu=0.5, deltaEta=0.4)
    p, z = followed_by(law, 100.0, "test")[2], np.zeros(len(law.variables))
    z[bouc_wen.Z] = NAN
    force, _, _ = bouc_wen.along(p, 0, 0.0, 0.1, 0.01, z, 0, z.copy())
    assert math.isnan(force)


@pytest.mark.parametrize("sharp", [1e6, 6e16, 1e50])
def test_steel_that_bends_in_no_space_is_bilinear(sharp):
    """Analytic: R → ∞ gives the two asymptotes, and the mean force of the way along them."""
    law = hx.laws.MenegottoPinto(1.0, 0.02, sharp)
    assert hx.respond(law, [0.0, 0.005, 0.03], 100.0).force == pytest.approx([0.0, 0.5, 1.04], rel=1e-5)
    p, z = followed_by(law, 100.0, "test")[2], np.zeros(len(law.variables))
    mean, _, _ = law.spring_along(p, 0, 0.0, 0.03, 0.01, z, 0, z.copy())
    assert mean == pytest.approx((0.5 * 0.01 + 1.02 * 0.02) / 0.03, rel=1e-5)


def test_a_spring_that_tires_goes_before_a_turn_that_would_take_it_and_not_by_it():
    """A turn inside a range that is held opens a half cycle again, and the damage with the present deformation jumps: a
    step on one way then had another force from its start on than one on the other way, and so no solution between.
    Analytic: ranges of 0.058 and 0.1 take 0.21 and 0.70 of the life; with 0.0553 it is used up, but in compression. In
    tension a turn would take it, and it is gone where it stops; with no stop it goes on to where its life ends."""
    law, path = hx.laws.Fatigue(hx.laws.Bilinear(0.5), E0=0.0857), [0.0, -0.058, 0.042, -0.0133, -0.0019]
    outwards, back = (hx.respond(law, [*path, path[-1] + by], 100.0).force[-1] for by in (1e-13, -1e-13))
    assert outwards == back == 0.0
    assert hx.respond(law, path, 100.0).force[-1] == pytest.approx(0.5, abs=1e-12)
    assert hx.respond(law, [*path[:-1], -0.0133 + 0.0049, -0.01], 100.0).force[-1] != 0.0  # in compression it holds
    rng = np.random.default_rng(7)
    for _ in range(20):
        some = rng.uniform(-0.06, 0.06, 12)
        outwards, back = (hx.respond(law, [*some, some[-1] + by], 100.0).force[-1] for by in (1e-13, -1e-13))
        assert abs(outwards - back) < 1e-9


ENVELOPE_NOT_REACHED = hx.laws.Hysteretic(
    2.6, 0.026, 2.93, 0.048, 2.97, 0.0757, beta=0.3, damage1=0.02, pinchX=0.27, pinchY=0.73
)


@pytest.mark.parametrize("law", [ENVELOPE_NOT_REACHED, hx.laws.Pinching4(1.0, 0.01, 1.2, 0.02, 1.4, 0.03, 0.3, 0.06)])
@pytest.mark.parametrize("seed", range(12))
def test_a_continuous_law_that_trembles_by_rounding_does_not_break(law, seed):
    """A drift is a difference of displacements, so a spring may begin a step a rounding behind where it was: there the
    reloading of a spring that never left its first line had jumped to a line that aims at 1e-23."""
    cls, _, p = followed_by(law, 100.0, "test")
    step, rng = kernels.around_law(springs.followed, "spring_piece", cls.spring_piece), np.random.default_rng(seed)
    z, after, e, tiny = np.zeros(len(law.variables)), np.zeros(len(law.variables)), 0.0, 10.0 ** rng.uniform(-24, -12)
    for turn in range(100):
        d = -e if turn % 4 == 1 else tiny * rng.standard_normal() * 10.0 ** (6 * (turn % 4 == 2))
        if d != 0.0:
            assert step(p, 0, e, d, 1.0, 0.05, z, 0, len(z), after)[2] != springs.BROKEN
            z[:], e = after, (1e-3 + (e + d)) - 1e-3


def test_storeys_that_cannot_break_run_beside_a_hook():
    mass = 100 / (2 * np.pi / 0.3) ** 2
    laws = [hx.laws.Gap(0.0136, hook=0.026), ENVELOPE_NOT_REACHED]
    frame = hx.shear_frame([mass, mass], [100.0] * 2, laws=laws)
    load = hx.el_centro().scaled(1 / (mass * 9.81)).on(frame, g=9.81)
    assert hx.solve(hx.Problem(frame, load, 40.0), hx.Galerkin(0.005)).status.name == "FINISHED"
