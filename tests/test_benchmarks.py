"""The C limits of the benchmarks march what hamex marches, and the page says what the numbers say.

Reference values are own: ``hx.solve``, one oscillator at a time. No speed is tested here.
"""

import json

import numpy as np
import pytest

import hamex as hx


@pytest.fixture
def benchmarks(monkeypatch):
    """The folder on the path, as a script in it has it."""
    from pathlib import Path

    monkeypatch.syspath_prepend(str(Path(__file__).parents[1] / "benchmarks"))


@pytest.fixture
def limits(benchmarks):
    import limits

    if limits.compiler() is None:
        pytest.skip("no C compiler here")
    return limits


def marched(given, i, record):
    model = hx.oscillator(
        mass=given["mass"][i],
        stiffness=given["stiffness"][i],
        damping=given["damping"][i],
        law=hx.Slider(given["yield_force"][i], viscosity=given["viscosity"][i]),
    )
    load = record.scaled(given["scale"][i]).on(model, g=9.80665)
    return hx.solve(hx.Problem(model, load, duration=record.duration), hx.Galerkin(record.step))


@pytest.mark.parametrize("law", ["viscous", "rate independent"])
def test_the_batch_in_c_is_the_march_of_hamex(limits, law):
    import oscillators

    given = oscillators.family(103, oscillators.LAWS[law])  # no whole number of vectors
    given["mass"] = np.linspace(0.5, 2.0, 103)
    given["scale"] = np.linspace(2.0, 0.5, 103)
    picked = (0, 37, 80, 102)
    expected = [marched(given, i, oscillators.RECORD) for i in picked]
    peaks = np.array([np.abs(sol.values("displacement")).max() for sol in expected])
    slips = np.array([sol.values("slip")[-1, 0] for sol in expected])
    assert (slips != 0.0).any()
    batch = limits.Batch(given, oscillators.mean_load(), oscillators.STEP)
    assert len(batch.vectors) > 4
    for vectors in batch.vectors:
        batch.peak[:] = batch.slip[:] = np.nan
        batch.run(vectors)
        np.testing.assert_allclose(batch.peak[list(picked)], peaks, rtol=1e-12)
        np.testing.assert_allclose(batch.slip[list(picked)], slips, rtol=0, atol=1e-12 * peaks.max())
        assert np.isfinite(batch.peak).all()
    single = limits.Batch(given, oscillators.mean_load(), oscillators.STEP, np.float32)
    single.run(4)
    np.testing.assert_allclose(single.peak[list(picked)], peaks, rtol=1e-4)
    assert np.abs(single.peak[list(picked)] / peaks - 1.0).max() > 1e-9  # it is float32


def exact(period, ground, step, parts=1):
    """Pseudo-acceleration at the nodes of the exact recurrence."""
    stiffness = (2.0 * np.pi / period) ** 2
    model = hx.oscillator(mass=1.0, stiffness=stiffness, damping=hx.ratio(0.05))
    load = hx.Load(-ground, step=step)
    sol = hx.solve(hx.Problem(model, load, duration=(ground.size - 1) * step), hx.PiecewiseExact(step / parts))
    return stiffness * np.abs(sol.values("displacement")).max()


def test_spectra_in_c_and_the_reference_are_exact(limits):
    import oscillators
    import peers_spectrum

    ground = oscillators.ground()[100:700]  # does not begin with zero
    periods = np.geomspace(0.03, 10.0, 37)
    spectrum = limits.Spectrum(periods, ground, oscillators.STEP)
    picked = (0, 5, 18, 36)
    at_samples = [exact(periods[i], ground, oscillators.STEP) for i in picked]
    for vectors in spectrum.vectors:
        found = (2.0 * np.pi / periods) ** 2 * spectrum.run(vectors)
        np.testing.assert_allclose(found[list(picked)], at_samples, rtol=1e-9)
    inside = [exact(periods[i], ground, oscillators.STEP, parts=8) for i in picked]
    found = peers_spectrum.continuous(periods, ground, oscillators.STEP, 0.05, parts=8)
    np.testing.assert_allclose(found[list(picked)], inside, rtol=1e-9)
    assert inside[0] > 1.01 * at_samples[0]  # there is something between the samples


def test_the_filter_per_period_is_the_same_recurrence(benchmarks):
    import oscillators
    import peers_spectrum

    periods = np.array([0.05, 0.6, 8.0])
    found = peers_spectrum.lfilter(periods).compute()
    expected = [exact(period, oscillators.ground(), oscillators.STEP) for period in periods]
    np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_a_claim_is_judged_by_its_numbers(benchmarks):
    import measuring

    def verdict(value, at_most):
        return measuring.verdict(measuring.claim("", value, 2.0, at_most=at_most))

    assert [verdict(x, True) for x in (1.9, 2.1, None)] == ["holds", "falls short", "not measured"]
    assert [verdict(x, False) for x in (2.1, 1.9)] == ["holds", "falls short"]


def test_the_page_is_made_from_what_was_stored(benchmarks, tmp_path):
    import measuring
    import page
    import run

    context = {**measuring.context(), "repeats": 1, "quick": True}
    rows = [{"name": "import hamex", "seconds": 0.0425, "budget": 0.35}]
    claims = [measuring.claim("start", 0.0425, 0.35, " s", at_most=True), measuring.claim("never", float("nan"), 1.0)]
    run.store(
        {
            "history": {"context": context, "missing": "no such file"},
            "startup": {"context": context, "result": {"repeats": 1, "rows": rows, "claims": claims}},
        },
        tmp_path / "bench.json",
    )
    found = run.stored(tmp_path / "bench.json")
    assert json.loads((tmp_path / "bench.json").read_text()) == found
    assert list(tmp_path.iterdir()) == [tmp_path / "bench.json"]
    text = page.markdown(found)
    assert context["cpu"] in text
    assert "| start | 0.0425 s | at most 0.35 s | holds |" in text
    assert "| never | – | at least 1 | not measured |" in text
    assert "not measured: no such file" in text
    assert "quick run" in text


def test_degrading_oscillators_in_c_are_those_of_hamex(limits):
    import followed

    given, scales = followed.springs(6), np.array([0.5, 2.0, 5.0])
    c = followed.InC(given, scales)
    c.run()
    batch = hx.batch(
        followed.models(given), followed.record(), hx.Galerkin(followed.STEP), scales=scales, g=followed.GRAVITY
    )
    np.testing.assert_allclose(c.peak, batch.values("displacement")[:, 0].ravel(), rtol=1e-11)


def test_every_section_has_a_title_on_the_page(benchmarks):
    import page
    import run

    assert list(page.TITLES) == list(run.SECTIONS)
