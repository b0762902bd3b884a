"""The solution: names, labels, peaks, final state, provenance."""

import dataclasses
import weakref

import numpy as np
import pytest

import hamex as hx
from hamex.errors import InputError, SchemeError, UnknownNameError
from hamex.solution import energy
from hamex.solution.outline import ENERGIES, VARIABLES, unit
from hamex.solution.results import OF_HEIGHTS, OF_HINGES, OF_STOREYS, OF_STRUCTURES

H = 0.02
UNITS = hx.Units("in", "kip")
MODEL = hx.oscillator(2, 450, damping=3.0, law=hx.Slider(0.54, 3.0, kinematic=20.0, isotropic=5.0), units=UNITS)
LOAD = hx.Load(4 * hx.el_centro().acceleration, step=H)
PROBLEM = hx.Problem(MODEL, LOAD, duration=8.0, start=hx.State(1e-3, -1e-2, 1e-4))


@pytest.fixture(scope="module")
def sol():
    return hx.solve(PROBLEM, hx.Galerkin(H))


def test_every_result_has_the_dimensions_and_the_unit_of_the_schema(sol):
    sizes = {"time": 401, "interval": 400, "dof": 1, "spring": 1}
    of_structures = {*OF_STRUCTURES, *OF_HINGES, *OF_STOREYS, *OF_HEIGHTS}
    of_others = {"iterations", "hamiltonian", "solves", "searches", "load_factor", "events", "pieces"}
    of_others |= {"cg_iterations", "cg_residual", "joint_work", "event_work", "event_damping"}
    # Of simulated actions.
    of_others |= {"cuts", "friction", "reaction", "constraint", "constraint_rate", "charge", "charge_drift"}
    assert set(sol.names) == set(VARIABLES) - of_structures - of_others
    for name in sol.names:
        dims, kind, meaning = VARIABLES[name]
        labelled = sol[name]
        assert labelled.dims == dims
        assert labelled.shape == tuple(sizes[dim] for dim in dims)
        assert labelled.attrs == {"units": unit(kind, "in", "kip"), "long_name": meaning}
        assert np.array_equal(labelled.values, sol.values(name))


def test_nodes_and_intervals_have_their_own_clocks(sol):
    assert np.array_equal(sol["displacement"]["time"], np.arange(401) * H)
    assert np.allclose(sol["force"]["interval"], (np.arange(400) + 0.5) * H, rtol=1e-14)
    assert np.all(sol["force"]["step"] == H)
    assert sol["displacement"]["dof"].values.tolist() == ["mass"]
    assert sol["slip"]["spring"].values.tolist() == ["spring"]


def test_derived_results_are_what_their_equations_say(sol):
    u, p, s, F = (sol.values(name)[:, 0] for name in ("displacement", "momentum", "slip", "force"))
    assert np.allclose(sol.values("velocity")[:, 0], p / 2, rtol=1e-15)
    assert np.allclose(sol.values("node_force")[:, 0], 450 * (u - s), rtol=1e-12, atol=1e-15)
    assert np.array_equal(sol.values("mean_displacement")[:, 0], (u[1:] + u[:-1]) / 2)  # eq. (88)
    assert np.allclose(np.diff(sol.values("impulse")[:, 0]) / H, F, rtol=1e-11, atol=1e-13)  # eq. (89)


def test_energy_is_one_dataset(sol):
    assert set(sol.energy) == set(ENERGIES)
    assert float(sol.energy["residual"]) == sol.residual
    assert sol.energy["kinetic"].attrs["units"] == "kip in"


def test_peaks_are_the_largest_values_when_and_where_they_occur(sol):
    peaks = sol.peaks
    assert set(peaks) == {"displacement", "velocity", "force", "node_force", "slip", "residual_slip", "ductility"}
    assert peaks["ductility"].value == np.abs(sol.values("displacement")).max() / (0.54 / 450)
    for name, peak in peaks.items():
        if name in ("residual_slip", "ductility"):
            continue
        values = np.abs(sol.values(name)[:, 0])
        clock = sol.middles if name == "force" else sol.times
        assert peak.value == values.max()
        assert peak.time == clock[values.argmax()]
        assert peak.where == ("mass" if name in ("displacement", "velocity") else "spring")
        assert peak.error is None
    mirrored = hx.solve(PROBLEM.replace(load=LOAD.scaled(-1), start=hx.State(-1e-3, 1e-2, -1e-4)), hx.Galerkin(H))
    assert peaks["residual_slip"].value == sol.values("slip")[-1, 0] == -mirrored.peaks["residual_slip"].value != 0
    assert (peaks["displacement"].unit, peaks["velocity"].unit, peaks["force"].unit) == ("in", "in/s", "kip")


def test_the_final_state_is_the_last_node(sol):
    final = sol.final
    for name in ("displacement", "momentum", "slip"):
        assert np.array_equal(getattr(final, name), sol.values(name)[-1])
    for name in ("back_force", "accumulated_slip", "impulse"):
        assert np.array_equal(final.internal[name], sol.values(name)[-1])
    assert "start_impulse" not in final.internal


def test_an_unknown_name_is_refused_with_the_known_ones(sol):
    for ask in (sol.values, sol.__getitem__):
        for name in ("temperature", "iterations"):
            with pytest.raises(InputError, match=f"no '{name}'; it has displacement, momentum"):
                ask(name)


def test_the_text_of_a_solution_computes_nothing(sol):
    fresh = dataclasses.replace(sol, _cache={})
    assert repr(fresh) == "<Solution: 400 steps of 0.02 s, 1 dof, 1 spring, Galerkin>"
    assert fresh._cache == {}
    assert not {"peaks", "energy", "loading", "provenance", "exceeded"} & set(vars(fresh))


def test_a_solution_holds_its_problem_and_its_scheme(sol):
    assert sol.problem.model is sol.model
    assert (sol.dofs, sol.springs) == (sol.model.dofs, sol.model.springs)
    assert sol.units is sol.model.units
    assert sol.scheme == hx.Galerkin(H)
    again = hx.solve(sol.problem, sol.scheme)
    assert again.values("displacement").tobytes() == sol.values("displacement").tobytes()


def test_a_peak_is_found_by_itself(sol):
    fresh = dataclasses.replace(sol, _cache={})
    peaks = fresh.peaks
    assert set(fresh._cache) <= {"yield_deformation"}  # says which springs have a ductility
    assert peaks["displacement"].value == np.abs(sol.values("displacement")).max()
    assert set(fresh._cache) <= {"yield_deformation"}
    assert peaks["velocity"].value == np.abs(sol.values("velocity")).max()
    assert set(fresh._cache) == {"yield_deformation", "velocity"}
    with pytest.raises(KeyError, match="temperature"):
        peaks["temperature"]
    assert fresh.peaks["velocity"] is peaks["velocity"]  # found once


def test_a_solution_is_gone_with_its_last_user(sol):
    fresh = dataclasses.replace(sol, _cache={})
    assert all((dict(fresh.peaks), fresh.residual, fresh.provenance, fresh.final))
    watched = weakref.ref(fresh)
    del fresh
    assert watched() is None, "no circle keeps the histories until the collector comes"


def test_peaks_read_like_a_mapping(sol):
    found = dict(sol.peaks)
    assert list(found) == ["displacement", "velocity", "force", "node_force", "slip", "ductility", "residual_slip"]
    assert sol.peaks == found
    assert repr(sol.peaks) == repr(found)
    assert len(sol.peaks) == len(found)
    assert sol.peaks.get("base_shear") is None


def test_an_energy_is_computed_by_itself(sol, monkeypatch):
    monkeypatch.setattr(energy, "one_pass", lambda solution, keep: None)  # the compiled pass gives all at once
    fresh = dataclasses.replace(sol, _cache={})
    for name in ("kinetic", "input", "plastic"):
        before = set(fresh._cache)
        assert np.allclose(fresh.values(name), sol.values(name), rtol=1e-13, atol=1e-15)
        assert set(fresh._cache) - before == {name}


def test_a_spring_without_hardening_has_no_hardening_variables():
    elastic = hx.solve(hx.Problem(hx.oscillator(1, 225), LOAD, 1.0), hx.Galerkin(H))
    assert not {"back_force", "accumulated_slip"} & set(elastic.names)
    assert not elastic.values("hardening").any()
    assert elastic.final.internal["accumulated_slip"] == 0


def test_histories_belong_to_the_solution(sol):
    """Changing an array that was handed out must not change what the solution says next."""
    with pytest.raises(ValueError, match="read-only"):
        sol.values("displacement")[0] = 7.0


# Provenance -------------------------------------------------------------------------------------------------


def fingerprint(problem=PROBLEM, scheme=None):
    return hx.solve(problem, scheme or hx.Galerkin(H)).provenance["problem"]


def changed_model(**changes):
    numbers = {"mass": 2, "stiffness": 450, "damping": 3.0}
    law = {"yield_force": 0.54, "viscosity": 3.0, "kinematic": 20.0, "isotropic": 5.0}
    law |= {name: value for name, value in changes.items() if name in law}
    numbers |= {name: value for name, value in changes.items() if name in numbers}
    return PROBLEM.replace(model=hx.oscillator(**numbers, law=hx.Slider(**law), units=UNITS))


def started(**changes):
    state = {"displacement": 1e-3, "momentum": -1e-2, "slip": 1e-4}
    return PROBLEM.replace(start=hx.State(**state | changes))


CHANGES = {
    **{
        name: changed_model(**{name: value})
        for name, value in {
            "mass": 2.1,
            "stiffness": 451,
            "damping": 3.1,
            "yield_force": 0.55,
            "viscosity": 3.1,
            "kinematic": 21.0,
            "isotropic": 6.0,
        }.items()
    },
    "beside": PROBLEM.replace(model=dataclasses.replace(MODEL, stiffness=np.array([[1e-6]]))),
    "load": PROBLEM.replace(load=LOAD.scaled(1 + 1e-15)),
    "duration": PROBLEM.replace(duration=7.98),
    "displacement": started(displacement=2e-3),
    "momentum": started(momentum=1e-2),
    "slip": started(slip=2e-4),
    "back force": started(internal={"back_force": 1e-3}),
    "accumulated": started(internal={"accumulated_slip": 1e-3}),
    "impulse": started(internal={"impulse": 0.0}),
    "prior impulse": PROBLEM.replace(prior_impulse=1.0),
}


@pytest.mark.parametrize("what", CHANGES)
def test_the_hash_changes_with_every_input(what):
    assert fingerprint(CHANGES[what]) != fingerprint()


def test_all_changes_have_hashes_of_their_own():
    schemes = [
        hx.Galerkin(H, load="end"),
        hx.Galerkin(H / 2),
        hx.Newmark(H),
        hx.Newmark(H, beta=0.3),
        hx.Newmark(H, tolerance=1e-8),
    ]
    prints = [fingerprint(), *map(fingerprint, CHANGES.values()), *(fingerprint(scheme=s) for s in schemes)]
    assert len(set(prints)) == len(prints)


def test_internal_variables_with_equal_numbers_are_told_apart():
    one, other = (started(internal={name: 0.5}) for name in ("impulse", "tangent"))
    assert fingerprint(one) != fingerprint(other)


@pytest.mark.parametrize("scheme", [hx.PiecewiseExact(H), hx.Newmark(H, beta=0.3025, gamma=0.6)], ids=str)
def test_loads_with_equal_step_averages_are_told_apart(scheme):
    """Schemes that read the load at nodes answer differently to loads whose averages agree."""
    model = hx.oscillator(2, 450, damping=3.0)
    runs = [
        hx.solve(hx.Problem(model, hx.Load(forces, step=H), 1.0), scheme)
        for forces in (np.zeros(51), np.resize([1.0, -1.0], 51))
    ]
    assert not np.array_equal(runs[0].values("displacement"), runs[1].values("displacement"))
    assert runs[0].provenance["problem"] != runs[1].provenance["problem"]


def test_the_hash_of_a_rerun_is_the_same():
    assert fingerprint() == fingerprint(PROBLEM.replace())
    rebuilt = hx.Problem(
        changed_model().model, hx.Load(4 * hx.el_centro().acceleration, step=H), 8.0, start=hx.State(1e-3, -1e-2, 1e-4)
    )
    assert fingerprint(rebuilt) == fingerprint()


def test_provenance_says_version_and_scheme(sol):
    assert sol.provenance["hamex"] == hx.__version__
    assert sol.provenance["scheme"] == repr(hx.Galerkin(H))
    assert len(sol.provenance["problem"]) == 64


def promised(law, scheme, promise="beforehand", weight=None, size=0.4):
    more = {} if weight is None else {"heights": 3.0, "weights": weight}
    model = hx.shear_frame([1.0, 1.0], [100.0, 100.0], laws=law, **more)
    load = hx.Load(np.full((9, 2), size), step=0.25)
    return hx.solve(hx.Problem(model, load, 2.0), scheme, promise=promise)


def test_a_solution_says_which_promises_held(tmp_path):
    """Contraction is claimed for sliders without negative stiffness in the element of one stage, and nowhere else."""
    slider, soft = hx.Slider(1.0, kinematic=5.0), hx.laws.Bilinear(0.5, plastic=0.001, post_cap=0.02)
    plain = promised(slider, hx.Galerkin(0.01))
    assert plain.promises.one_solution == "promised beforehand"
    assert plain.promises.balance == "closes to rounding"
    assert plain.promises.contraction.startswith("claimed")
    assert promised(slider, hx.Galerkin(0.01, law="path")).promises.contraction.startswith("claimed")
    for other in (
        promised(soft, hx.Galerkin(0.01)),
        promised(hx.laws.Gap(gap=0.01), hx.Galerkin(0.01)),
        promised(slider, hx.Newmark(0.01)),
        promised(slider, hx.Galerkin(0.01, degree=2)),
        promised(slider, hx.Galerkin(0.01), weight=[5.0, 5.0]),
    ):
        assert other.promises.contraction == "not claimed"
    assert promised(slider, hx.Newmark(0.01)).promises.balance == "not promised by this scheme"
    for problem in (True, False):
        assert hx.read(plain.save(tmp_path / f"{problem}.nc", problem=problem)).promises == plain.promises


def test_watched_runs_say_until_when_one_solution_was_certain():
    model = hx.shear_frame([1.0, 1.0], [100.0, 100.0], laws=hx.Slider(0.5), heights=3.0, weights=[20.0, 10.0])
    limit = hx.Galerkin(1.0).longest_step(model)
    assert limit < 1.0
    quiet = hx.Load(0.2 * np.vstack([np.zeros((1, 2)), np.ones((3, 2)), 9 * np.ones((2, 2))]), step=1.0)
    problem, on = hx.Problem(model, quiet, 5.0), hx.Limit(None, stop=False)
    sol = hx.solve(problem, hx.Galerkin(1.0), promise="reported", limit=on)
    assert sol.uncertain is not None
    assert sol.promises.one_solution == f"watched: certain up to {sol.uncertain:g} s and not from there on"
    cut = hx.solve(problem, hx.Galerkin(1.0), promise="cut", limit=on)
    assert limit / 2 < cut.step < limit
    assert 1 / cut.step == pytest.approx(round(1 / cut.step), rel=1e-12)
    assert cut.promises.one_solution == "promised beforehand"
    calm = promised(hx.laws.Bilinear(50.0, plastic=0.001, post_cap=2.0), hx.Galerkin(0.01), promise="reported")
    assert calm.promises.one_solution == "watched: no step showed a second one"
    with pytest.raises(SchemeError, match="the step must be below"):
        hx.solve(problem, hx.Galerkin(1.0))


def test_a_peak_that_there_is_not_is_named_with_those_there_are():
    one = hx.oscillator(1, 225)
    peaks = hx.solve(hx.Problem(one, hx.el_centro().on(one, g=1.0), 32.0), hx.Galerkin(0.02)).peaks
    with pytest.raises(UnknownNameError, match="no 'drift'; there are displacement, velocity") as told:
        peaks["drift"]
    assert str(told.value).startswith("peaks: ")
    assert isinstance(told.value, KeyError)
    assert "drift" not in peaks
    assert peaks.get("drift") is None
