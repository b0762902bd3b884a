"""Parts of studies that an earlier version kept are recognised for good: none that is finished is computed again."""

import dataclasses
import shutil
from dataclasses import dataclass, field, make_dataclass

import numpy as np
import pytest
from kept_studies import DATA, KEPT, table_of

import hamex as hx
from hamex import schemes
from hamex.errors import InputError
from hamex.model import laws
from hamex.study import keys

NAMES = [pytest.param(name, id=name) for name in KEPT]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.filterwarnings("ignore::hamex.errors.StepWarning")
def test_a_half_finished_study_goes_on_where_it_was(tmp_path, name):
    """Reference: own, the whole study as it was run by the version that kept half of it."""
    stored = DATA / name.replace(" ", "_")
    store = tmp_path / "store"
    shutil.copytree(stored, store)
    kept = sorted(file.name for file in stored.glob("*.parquet"))
    found = KEPT[name](store)
    with np.load(stored.with_suffix(".npz")) as whole:
        assert (found.found, found.ran) == (len(kept), int(whole["parts"]) - len(kept))
        table = table_of(found)
        for column in set(whole.files) - {"parts"}:
            np.testing.assert_allclose(table[column], whole[column], rtol=1e-11, atol=1e-13, err_msg=column)
    assert {file.name for file in store.glob("*.parquet")} >= set(kept)


def test_every_kind_of_study_was_kept_half_finished():
    assert {file.stem for file in DATA.glob("*.npz")} == {name.replace(" ", "_") for name in KEPT}
    assert all(list((DATA / name.replace(" ", "_")).glob("*.parquet")) for name in KEPT)


def later(*extra):
    """A class as Slider may become: the fields it has, and others."""
    old = [(one.name, one.type, field(default=one.default)) for one in dataclasses.fields(hx.Slider)]
    made = make_dataclass("Slider", [*old, *extra], frozen=True)
    made.__module__ = "hamex.model.laws.slider"
    return made


def test_a_new_field_enters_a_key_only_where_it_is_not_its_default():
    before = keys.digest(hx.Slider(2.0, 1.5))
    grown = later(("pressure", float, field(default=0.0)))
    assert keys.digest(grown(2.0, 1.5, 0.0, 0.0)) == before
    assert keys.digest(grown(2.0, 1.5, 0.0, 0.0, pressure=1.0)) != before


def test_the_order_of_fields_does_not_enter_a_key():
    turned = make_dataclass("Slider", [one.name for one in dataclasses.fields(hx.Slider)][::-1], frozen=True)
    turned.__module__ = "hamex.model.laws.slider"
    assert keys.digest(turned(0.0, 0.0, 1.5, 2.0)) == keys.digest(hx.Slider(2.0, 1.5))


def test_all_fields_of_a_user_s_own_class_enter_its_key():
    @dataclass(frozen=True)
    class Slider:
        yield_force: float
        colour: str = "blue"

    assert keys.digest(Slider(1.0)) != keys.digest(Slider(1.0, "red"))


SCHEMES = [schemes.by_name(name) for name in schemes.known()]


@pytest.mark.parametrize("classes", [laws.known().values(), SCHEMES], ids=["laws", "schemes"])
def test_described_laws_and_schemes_have_the_fields_of_their_description(classes):
    described = [one for one in classes if one.__module__[:6] == "hamex." and one.__name__ in keys.DESCRIBED]
    assert len(described) > 12
    for one in described:
        assert set(keys.DESCRIBED[one.__name__].split()) <= {each.name for each in dataclasses.fields(one)}


def test_a_key_cannot_be_made_of_what_has_no_content():
    with pytest.raises(InputError, match="hashed"):
        keys.digest(object())
