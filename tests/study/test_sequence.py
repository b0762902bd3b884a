"""Sequences of motions: the state is carried over, and measures of events make those of the whole."""

import numpy as np
import pytest

import hamex as hx
from hamex.errors import InputError

STEP = hx.Galerkin(0.02)
MODEL = hx.oscillator(mass=1, stiffness=225, damping=1.5, law=hx.Slider(0.27, 1.5, kinematic=10.0))
FIRST = hx.GroundMotion(2 * hx.el_centro().acceleration[:400], 0.02, "g", "first")
SECOND = hx.GroundMotion(1.5 * hx.el_centro().acceleration[400:700], 0.02, "g", "second")
MEASURES = ("ductility", "residual_slip", "plastic_work")


def test_events_are_runs_from_the_state_that_the_last_one_left():
    sequence = hx.MotionSequence((FIRST, SECOND), gap=4.0)
    table = hx.Study(MODEL, {"record": [sequence, FIRST], "scale": [1.0]}, MEASURES, STEP, g=1.0).run(workers=1)
    one = hx.solve(hx.Problem(MODEL, FIRST.on(MODEL, g=1.0), FIRST.duration + 4.0), STEP)
    two = hx.solve(hx.Problem(MODEL, SECOND.on(MODEL, g=1.0), SECOND.duration + 4.0, start=one.final), STEP)
    assert table.values("ductility_event_1")[0, 0] == pytest.approx(one.peaks["ductility"].value, rel=1e-11)
    assert table.values("ductility_event_2")[0, 0] == pytest.approx(two.peaks["ductility"].value, rel=1e-9)
    assert table.values("residual_slip")[0, 0] == pytest.approx(two.values("slip")[-1, 0], rel=1e-9)
    assert table.values("residual_slip_event_1")[0, 0] == pytest.approx(one.values("slip")[-1, 0], rel=1e-9)
    work = table.values("plastic_work_event_1") + table.values("plastic_work_event_2")
    assert table.values("plastic_work")[0] == pytest.approx(work[0], rel=1e-14)
    assert table.values("ductility")[0, 0] == max(table.values(f"ductility_event_{n}")[0, 0] for n in (1, 2))
    # A record beside it has no events; and alone, the aftershock does something else.
    assert np.isnan(table.values("ductility_event_1")[1, 0])
    turned = hx.Study(MODEL, {"record": [FIRST, sequence], "scale": [1.0]}, MEASURES, STEP, g=1.0).run(workers=1)
    assert turned.values("ductility_event_2")[1, 0] == table.values("ductility_event_2")[0, 0]
    fresh = hx.solve(hx.Problem(MODEL, SECOND.on(MODEL, g=1.0), SECOND.duration + 4.0), STEP)
    assert abs(fresh.peaks["ductility"].value - two.peaks["ductility"].value) > 0.01


def test_a_sequence_tells_what_it_is():
    matched = hx.GroundMotion(SECOND.acceleration, 0.02, "g", "second", kind="matched")
    sequence = hx.MotionSequence((FIRST, matched))
    assert (sequence.source, sequence.kind) == ("first → second", "matched + recorded")
    assert sequence.duration == pytest.approx(FIRST.duration + SECOND.duration + 40.0)


def test_a_study_of_sequences_names_each_kind_once():
    matched = hx.GroundMotion(SECOND.acceleration, 0.02, "g", "second", kind="matched")
    axes = {"record": [hx.MotionSequence((FIRST, matched)), FIRST], "scale": [1.0]}
    assert hx.Study(MODEL, axes, MEASURES, STEP, g=1.0).kind == "matched + recorded"


@pytest.mark.parametrize(
    "given",
    [((FIRST,), 1.0), ((FIRST, "second"), 1.0), ((FIRST, SECOND), -1.0), ((FIRST, SECOND), np.nan)],
    ids=["one", "text", "negative", "nan"],
)
def test_bad_sequences_are_refused(given):
    with pytest.raises(InputError, match="MotionSequence"):
        hx.MotionSequence(*given)
