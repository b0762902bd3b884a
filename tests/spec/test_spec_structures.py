"""Problem files of structures: every key arrives where it belongs, and every mistake is told with its place."""

import warnings

import numpy as np
import pytest

import hamex as hx
from hamex.errors import (
    HamexError,
    ImplausibleWarning,
    LawError,
    LoadError,
    ModelError,
    ProblemError,
    SpecError,
    UnitError,
)
from hamex.spec import read_problem

TOP = 'duration = 2.0\n[units]\nlength = "m"\nforce = "kN"\n'
SHEAR = '[model]\nkind = "shear_frame"\nmasses = [2.0, 1.0]\nstiffnesses = [300.0, 200.0]\n'
SKELETON = """[model.nodes]
A = [0.0, 0.0]
B = [0.0, 3.0]
C = [4.0, 3.0]
D = [4.0, 0.0]
[model.supports]
A = "fixed"
D = "fixed"
[model.masses]
B = [2.0, 2.0, 0.5]
C = [3.0, 3.0, 0.5]
"""
FRAME = (
    '[model]\nkind = "frame"\n'
    + SKELETON
    + """[model.sections.column]
modulus = 2e8
area = 0.01
inertia = 1e-4
hinges = {yield_force = 50.0}
[[model.members]]
start = "A"
end = "B"
section = "column"
[[model.members]]
start = "D"
end = "C"
section = "column"
compression = 10.0
[[model.members]]
name = "beam"
start = "B"
end = "C"
section = "column"
inertia = 2e-4
hinges = [{yield_force = 30.0}, {}]
"""
)
TRUSS = """[model]
kind = "truss"
rigidity = 1e4
law = {yield_force = 9.0}
[model.nodes]
A = [0, 0]
B = [4, 0]
C = [2, 3]
[model.supports]
A = "pinned"
B = ["x", "y"]
[model.masses]
C = 2.0
[[model.bars]]
start = "A"
end = "C"
[[model.bars]]
name = "right"
start = "B"
end = "C"
stiffness = 500.0
law = {yield_force = 5.0, kinematic = 2.0}
"""
MOTION = '[motion]\nrecord = "el_centro"\n'
SCHEME = '[scheme]\nkind = "galerkin"\nstep = 0.01\n'


@pytest.fixture
def read(tmp_path):
    def read(model=SHEAR, load=MOTION, more="", top=TOP, scheme=SCHEME):
        path = tmp_path / "case.toml"
        path.write_text(top + model + load + scheme + more, encoding="utf-8")
        return read_problem(path)

    return read


def told(read, **tables):
    with pytest.raises(HamexError) as caught:
        read(**tables)
    return type(caught.value), str(caught.value).partition("case.toml: ")[2]


def same(one, other):
    """Two models with the same numbers under the same names."""
    assert (one.dofs, one.springs, one.directions) == (other.dofs, other.springs, other.directions)
    for name in ("mass", "stiffness", "flexibility", "compatibility", "supports"):
        assert np.array_equal(getattr(one, name).toarray(), getattr(other, name).toarray()), name
    assert np.array_equal(one.damping.dense(), other.damping.dense())
    assert set(one.laws) == set(other.laws)
    for kind, group in one.laws.items():
        for key, value in group.numbers.items():
            assert np.array_equal(value, other.laws[kind].numbers[key]), (kind, key)
    assert (one.storeys is None) == (other.storeys is None)
    if one.storeys is not None:
        assert one.storeys.names == other.storeys.names
        assert np.array_equal(one.storeys.heights, other.storeys.heights, equal_nan=True)


# Models

M, K = [2.0, 1.0], [300.0, 200.0]


@pytest.mark.parametrize(
    ("keys", "model"),
    [
        ("", hx.shear_frame(M, K)),
        ("heights = 3.0\nweights = [5.0, 4.0]", hx.shear_frame(M, K, heights=3.0, weights=[5.0, 4.0])),
        ('names = ["low", "high"]', hx.shear_frame(M, K, names=["low", "high"])),
        ('damping = {kind = "ratio", ratio = 0.05}', hx.shear_frame(M, K, hx.ratio(0.05))),
        ('damping = {kind = "ratio", ratio = 0.05, mode = 2}', hx.shear_frame(M, K, hx.ratio(0.05, mode=2))),
        ('damping = {kind = "rayleigh", ratio = 0.03}', hx.shear_frame(M, K, hx.rayleigh(0.03))),
        (
            'damping = {kind = "rayleigh", ratio = [0.03, 0.04], modes = [2, 1]}',
            hx.shear_frame(M, K, hx.rayleigh((0.03, 0.04), (2, 1))),
        ),
        (
            'damping = {kind = "rayleigh", alpha = 0.1, beta = 0.002}',
            hx.shear_frame(M, K, hx.rayleigh(alpha=0.1, beta=0.002)),
        ),
        ('damping = {kind = "modal", ratio = 0.02}', hx.shear_frame(M, K, hx.modal(0.02))),
        ('damping = {kind = "modal", ratio = 0.02, modes = 1}', hx.shear_frame(M, K, hx.modal(0.02, modes=1))),
        (
            'damping = {kind = "modal", ratio = [0.02, 0.01], modes = [2, 1]}',
            hx.shear_frame(M, K, hx.modal([0.02, 0.01], modes=[2, 1])),
        ),
        ('damping = {kind = "coefficients", storeys = [4.0, 3.0]}', hx.shear_frame(M, K, [4.0, 3.0])),
        (
            'damping = {kind = "matrix", rows = [[3.0, -1.0], [-1.0, 1.0]]}',
            hx.shear_frame(M, K, [[3.0, -1.0], [-1.0, 1.0]]),
        ),
        (
            "law = {yield_force = 5.0, viscosity = 1.0, kinematic = 2.0, isotropic = 3.0}",
            hx.shear_frame(M, K, laws=hx.Slider(5.0, 1.0, 2.0, 3.0)),
        ),
        ("laws = [{yield_force = 5.0}, {}]", hx.shear_frame(M, K, laws=[hx.Slider(5.0), None])),
    ],
)
def test_a_shear_frame_is_the_builder_of_the_same_name(read, keys, model):
    same(read(SHEAR + keys + "\n").problem.model, model)


def test_one_coefficient_of_all_storeys_is_read_with_one_warning(read):
    with pytest.warns(ImplausibleWarning, match=r"coefficient.*ratio") as told:
        found = read(SHEAR + 'damping = {kind = "coefficients", storeys = 4.0}\n').problem.model
    assert len(told) == 1
    same(found, hx.shear_frame(M, K, [4.0] * len(M)))


def test_a_backbone_brings_its_own_stiffness(read):
    table = SHEAR.replace("stiffnesses = [300.0, 200.0]\n", "") + (
        'law = {kind = "backbone", points = [[0.01, 2.0], [0.05, 3.0]], final_slope = 1.0, viscosity = 0.5}\n'
    )
    law = hx.backbone([(0.01, 2.0), (0.05, 3.0)], final_slope=1.0, viscosity=0.5)
    same(read(table).problem.model, hx.shear_frame(M, None, laws=law))


LINKS = {
    'kind = "viscous_damper"\nstart = 0\nend = 1\ncoefficient = 4.0': hx.viscous_damper(0, 1, 4.0),
    'kind = "power_damper"\nstart = 1\nend = 2\ncoefficient = 4.0\nexponent = 0.4\nstiffness = 900.0': hx.power_damper(
        1, 2, 4.0, 0.4, 900.0
    ),
    'kind = "maxwell_damper"\nstart = 0\nend = 2\ncoefficient = 4.0\nstiffness = 900.0': hx.maxwell_damper(
        0, 2, 4.0, 900.0
    ),
    'kind = "friction_slider"\nstart = "ground"\nend = "floor 2"\nforce = 4.0\n'
    'stiffness = 900.0\nname = "brake"': hx.friction_slider("ground", "floor 2", 4.0, 900.0, name="brake"),
    'kind = "bilinear_isolator"\nstart = 0\nend = 1\nstiffness = 90.0\nyield_force = 3.0\npost_stiffness = 9.0\n'
    'viscosity = 0.1\ndirection = "x"': hx.bilinear_isolator(0, 1, 90.0, 3.0, 9.0, viscosity=0.1, direction="x"),
    'kind = "elastic_link"\nstart = 0\nend = 2\nstiffness = 50.0': hx.elastic_link(0, 2, 50.0),
}


@pytest.mark.parametrize(("table", "link"), LINKS.items(), ids=[link.kind for link in LINKS.values()])
def test_each_link_is_the_function_of_the_same_name(read, table, link):
    same(read(SHEAR + f"[[model.links]]\n{table}\n").problem.model, hx.shear_frame(M, K, links=[link]))


def test_a_truss_and_its_bars(read):
    bars = {"A-C": hx.Bar("A", "C"), "right": hx.Bar("B", "C", stiffness=500.0, law=hx.Slider(5.0, kinematic=2.0))}
    model = hx.truss(
        {"A": (0, 0), "B": (4, 0), "C": (2, 3)},
        bars,
        {"A": "pinned", "B": "xy"},
        {"C": 2.0},
        rigidity=1e4,
        law=hx.Slider(9.0),
    )
    same(read(TRUSS).problem.model, model)
    levelled = TRUSS.replace('kind = "truss"', 'kind = "truss"\nlevels = 0.1')
    assert read(levelled).problem.model.storeys.names == ("storey 1",)


def frame(**changes):
    column = {"modulus": 2e8, "area": 0.01, "inertia": 1e-4, "hinges": hx.Slider(50.0)}
    members = {
        "A-B": hx.Member("A", "B", **column),
        "D-C": hx.Member("D", "C", **column, compression=10.0),
        "beam": hx.Member("B", "C", **column | {"inertia": 2e-4, "hinges": (hx.Slider(30.0), hx.Slider())}),
    }
    return hx.frame(
        {"A": (0, 0), "B": (0, 3), "C": (4, 3), "D": (4, 0)},
        members,
        {"A": "fixed", "D": "fixed"},
        {"B": (2.0, 2.0, 0.5), "C": (3.0, 3.0, 0.5)},
        **changes,
    )


@pytest.mark.parametrize(
    ("keys", "changes"),
    [
        ("", {}),
        ('levels = [["B", "C"]]', {"levels": [["B", "C"]]}),
        ('levels = {roof = ["B", "C"]}', {"levels": {"roof": ["B", "C"]}}),
        ('constraints = {"C.x" = "B.x"}', {"constraints": {"C.x": "B.x"}}),
        ('constraints = {"C.x" = {"B.x" = 1.0}}', {"constraints": {"C.x": {"B.x": 1.0}}}),
        ('diaphragms = {roof = ["B", "C"]}', {"diaphragms": {"roof": ["B", "C"]}}),
        ('damping = {kind = "modal", ratio = 0.02}', {"damping": hx.modal(0.02)}),
    ],
)
def test_a_frame_is_the_builder_of_the_same_name(read, keys, changes):
    same(read(FRAME.replace('kind = "frame"', f'kind = "frame"\n{keys}')).problem.model, frame(**changes))


def test_surfaces_axial_laws_and_releases_reach_their_member(read):
    table = FRAME.replace(
        "hinges = {yield_force = 50.0}",
        'hinges = {kind = "surface", yield_forces = [400.0, 50.0], center = [-20.0, 0.0]}',
    ).replace(
        "inertia = 2e-4\nhinges = [{yield_force = 30.0}, {}]",
        'hinges = {}\nrelease = "end"\naxial = {yield_force = 9.0}',
    )
    law = hx.Surface((400.0, 50.0), center=(-20.0, 0.0))
    column = {"modulus": 2e8, "area": 0.01, "inertia": 1e-4, "hinges": law}
    members = {
        "A-B": hx.Member("A", "B", **column),
        "D-C": hx.Member("D", "C", **column, compression=10.0),
        "beam": hx.Member("B", "C", **column | {"hinges": hx.Slider()}, release="end", axial=hx.Slider(9.0)),
    }
    model = hx.frame(
        {"A": (0, 0), "B": (0, 3), "C": (4, 3), "D": (4, 0)},
        members,
        {"A": "fixed", "D": "fixed"},
        {"B": (2.0, 2.0, 0.5), "C": (3.0, 3.0, 0.5)},
    )
    same(read(table).problem.model, model)


# Loads


def channels(file, step=0.05, steps=40):
    load = file.problem.load
    return load.step_values(step, steps, "mean") @ load.patterns.T


def test_motions_in_two_directions_add_up(read):
    both = (
        '[[motion]]\nrecord = "el_centro"\ndirection = "x"\n[[motion]]\nrecord = "el_centro"\nscale = 0.5\n'
        'direction = "y"\n'
    )
    file = read(FRAME, both)
    a = hx.el_centro().on(file.problem.model, g=9.80665).forces[:40, 0]
    found = channels(file, 0.02, 39)
    x, y = file.problem.model.dofs.index("B.x"), file.problem.model.dofs.index("B.y")
    assert np.allclose(found[:, x], -2.0 * (a[:-1] + a[1:]) / 2, rtol=1e-12)
    assert np.allclose(found[:, y], 0.5 * found[:, x], rtol=1e-12)
    assert "in x" in file.load_text
    assert "× 0.5 in y" in file.load_text


def test_forces_act_where_they_are_told(read, tmp_path):
    (tmp_path / "gust.csv").write_text("0,0\n0.1,5\n0.2,-7\n")
    file = read(
        load='[[load]]\nkind = "samples"\nfile = "gust.csv"\nscale = 2.0\nat = "floor 2"\n'
        '[[load]]\nkind = "half_sine"\namplitude = 3.0\nduration = 1.0\nat = {"floor 1" = 1.0, '
        '"floor 2" = -0.5}\n' + MOTION
    )
    gust, pulse = (
        hx.Load([0, 10, -14], 0.1).step_values(0.05, 40, "mean")[:, 0],
        hx.half_sine(3.0, 1.0).step_values(0.05, 40, "mean")[:, 0],
    )
    ground = read(load=MOTION)
    expected = np.stack([pulse, gust - 0.5 * pulse], axis=1) + channels(ground)
    assert np.allclose(channels(file), expected, rtol=1e-12, atol=1e-14)


def test_the_start_names_its_dofs_and_springs(read):
    start = read(
        SHEAR + "law = {yield_force = 5.0}\n",
        '[load]\nkind = "none"\n',
        '[start]\ndisplacement = {"floor 2" = 0.1}\nvelocity = [1.0, 2.0]\nslip = {"storey 1" = 0.01}\n',
    ).problem.start
    assert start.displacement.tolist() == [0.0, 0.1]
    assert start.momentum.tolist() == [2.0, 2.0]
    assert start.slip.tolist() == [0.01, 0.0]


def test_supports_move_by_records(read, tmp_path):
    (tmp_path / "left.csv").write_text("0,0\n0.1,5\n0.2,10\n")
    file = read(
        FRAME,
        '[[support]]\nat = "A.x"\nfile = "left.csv"\nunit = "cm"\n'
        '[[support]]\nat = "D.x"\ndisplacements = [0.0, 0.01]\nstep = 0.1\nscale = 2.0\n',
    )
    names, moved = file.problem.model.support_names, file.problem.supports
    at_nodes = moved.node_values(0.1, 20) @ moved.patterns.T
    assert np.allclose(at_nodes[:, names.index("A.x")], [0, 0.05] + [0.1] * 19, rtol=1e-12)  # the last value stays
    assert np.allclose(at_nodes[:, names.index("D.x")], [0] + [0.02] * 20, rtol=1e-12)
    assert not np.delete(at_nodes, [names.index("A.x"), names.index("D.x")], axis=1).any()
    assert "A.x" in file.load_text
    whole = read(FRAME, '[[support]]\nat = "x"\ndisplacements = [0.0, 0.01]\nstep = 0.1\n').problem.supports
    assert [names[i] for i in np.flatnonzero(whole.patterns[:, 0])] == ["A.x", "D.x"]


def two_storeys(compression, gravity):
    """A portal of two storeys whose columns are pressed as told, under the same force on every node."""
    nodes = {f"{row}{level}": [x, 3.0 * level] for row, x in (("A", 0.0), ("B", 5.0)) for level in range(3)}
    pairs = {
        "lower": [("A0", "A1"), ("B1", "B0")],
        "upper": [("A1", "A2"), ("B1", "B2")],
        "beam": [("A1", "B1"), ("A2", "B2")],
    }
    lines = ["[model]", 'kind = "frame"', 'levels = [["A1", "B1"], ["A2", "B2"]]', "[model.nodes]"]
    lines += [f"{name} = {place}" for name, place in nodes.items()]
    lines += ["[model.supports]", 'A0 = "fixed"', 'B0 = "fixed"', "[model.masses]"]
    lines += [f"{row}{level} = 10.0" for row in "AB" for level in (1, 2)]
    for section, force in zip(("lower", "upper", "beam"), (*compression, 0.0), strict=True):
        lines += [f"[model.sections.{section}]", "modulus = 2e8", "area = 0.01", "inertia = 1e-4"]
        lines += [f"compression = {force}"]
    for section, members in pairs.items():
        for start, end in members:
            lines += ["[[model.members]]", f'start = "{start}"', f'end = "{end}"', f'section = "{section}"']
    forces = ", ".join(f'"{row}{level}.y" = {gravity}' for row in "AB" for level in (1, 2))
    return "\n".join([*lines, "[load]", 'kind = "none"', "[gravity]", f"forces = {{{forces}}}", ""])


@pytest.mark.parametrize(
    ("compression", "gravity", "said"),
    [
        (
            (700.0, 500.0),
            -500.0,
            r"columns of storey 1 have 1,400 kN of compression, the gravity above them is 2,000 kN; P-Delta",
        ),
        ((1000.0, 50.0), -500.0, r"columns of storey 2 have 100 kN of compression, the gravity above them is 1,000 kN"),
        ((50.0, 50.0), -500.0, r"storey 1 have 100 kN .* is 2,000 kN \(and so in storey 2\)"),
        ((0.0, 0.0), 500.0, r"the forces of \[gravity\] point upwards in sum; downwards is negative"),
    ],
)
def test_gravity_and_the_compression_of_columns_are_compared(read, compression, gravity, said):
    with pytest.warns(ImplausibleWarning, match=said):
        read(two_storeys(compression, gravity))


@pytest.mark.parametrize("compression", [(1000.0, 500.0), (800.0, 450.0), (0.0, 0.0)])
def test_compression_that_fits_gravity_or_is_left_out_is_not_warned_of(read, compression):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read(two_storeys(compression, -500.0))


def test_gravity_is_where_the_history_starts_and_stays_on(read):
    problem = read(FRAME, '[load]\nkind = "none"\n', '[gravity]\nforces = {"B.y" = -20.0, "C.y" = -15.0}\n').problem
    still = hx.solve(problem, hx.Galerkin(0.01))
    start, model = still.problem.start, problem.model
    assert start.displacement[model.dofs.index("B.y")] < 0
    assert np.abs(still.values("displacement") - start.displacement).max() <= 1e-3 * np.abs(start.displacement).max()


def test_a_tail_follows_the_record(read):
    top = TOP.replace("duration = 2.0", "tail = 5.0")
    assert read(top=top).problem.duration == pytest.approx(31.18 + 5.0)
    assert read(top=top, scheme=SCHEME.replace("0.01", "0.04")).problem.duration == pytest.approx(36.2)
    assert told(read, top=top, load='[load]\nkind = "none"\n') == (
        ProblemError,
        "tail follows the end of a record, but no record is given; say duration instead",
    )


def test_limit_and_schemes(read):
    assert read(more="[limit]\ndrift_ratio = 0.04\n").limit == hx.Limit(0.04)
    assert read(more="[limit]\ndrift = 0.3\n").limit == hx.Limit(0.1, 0.3)
    assert read(scheme='[scheme]\nkind = "newmark"\nstep = 0.01\nsafeguarded = true\n').scheme == hx.Newmark(
        0.01, safeguarded=True
    )
    assert read(scheme='[scheme]\nkind = "leap_frog"\nstep = 0.01\n').scheme == hx.LeapFrog(0.01)
    assert read().kind == "shear_frame"


# Mistakes

LINK = '[[model.links]]\nkind = "elastic_link"\nstart = 0\nend = 1\nstiffness = 5.0\n'


@pytest.mark.parametrize(
    ("kind", "tables", "message"),
    [
        (
            SpecError,
            {"model": SHEAR.replace("masses = [2.0, 1.0]\n", "")},
            "model.masses is missing: masses of the floors from the ground up [force·s²/length]",
        ),
        (SpecError, {"model": SHEAR.replace("1.0]", '"one"]')}, "model.masses[1] must be a number, got 'one'"),
        (SpecError, {"model": SHEAR + 'heights = "tall"\n'}, "model.heights must be a number, got 'tall'"),
        (
            SpecError,
            {"model": SHEAR + 'damping = {kind = "modall", ratio = 0.05}\n'},
            "model.damping.kind must be one of 'ratio', 'rayleigh', 'modal', 'coefficients', 'matrix', got 'modall'; "
            "did you mean 'modal'?",
        ),
        (
            SpecError,
            {"model": FRAME.replace('"frame"', '"Frame"')},
            "model.kind must be 'oscillator', 'shear_frame', 'truss', 'frame', 'rod' or 'solid', got 'Frame'; "
            "did you mean 'frame'?",
        ),
        (
            SpecError,
            {"model": FRAME.replace("[model.nodes]", "damping = 0.03\n[model.nodes]")},
            'model.damping must be a table, got 0.03; 3 % of critical is damping = {kind = "ratio", ratio = 0.03}',
        ),
        (
            SpecError,
            {"model": SHEAR + "damping = 5\n"},
            'model.damping must be a table, got 5; 5 % of critical is damping = {kind = "ratio", ratio = 0.05}',
        ),
        (
            SpecError,
            {"model": FRAME.replace("30.0}, {}]", '30.0}, "none"]')},
            "model.members[2].hinges[1] must be a table, got 'none'; an end that stays elastic is {}, as in "
            "hinges = [{yield_force = 250.0}, {}]",
        ),
        (
            SpecError,
            {"model": FRAME.replace("hinges = {yield_force", "hinges = {plastic_moment")},
            "unknown key model.sections.column.hinges.plastic_moment; the moment at which a hinge yields is its "
            "yield_force, as in hinges = {yield_force = 250.0}",
        ),
        (
            UnitError,
            {"top": TOP.replace('"kN"', '"KN"')},
            "[units] unknown unit of force 'KN'; known: N, kN, MN, kip, lbf, tf, kgf; did you mean kN?",
        ),
        (
            SpecError,
            {"model": SHEAR + "heights = 3,2\n"},
            "not a TOML file: Expected newline or end of document after a statement (at line 9, column 12); numbers "
            "have a decimal point, as in 3.2",
        ),
        (
            SpecError,
            {"model": FRAME + "load = -30.0\n"},
            "unknown key model.members[2].load; members carry no loads; "
            "divide the beam and load its nodes in [gravity]",
        ),
        (
            SpecError,
            {"model": SHEAR + 'damping = {kind = "modal", rato = 0.05}\n'},
            "unknown key model.damping.rato; did you mean ratio?",
        ),
        (
            SpecError,
            {"model": SHEAR + "law = {yield_forse = 1.0}\n"},
            "unknown key model.law.yield_forse; did you mean yield_force?",
        ),
        (
            SpecError,
            {"model": SHEAR + "law = {yield_force = 1.0}\nlaws = []\n"},
            "[model] give at most one of law and laws, got both",
        ),
        (
            SpecError,
            {"model": SHEAR + LINK.replace("stiffness = 5.0\n", "")},
            "[model.links[0]] stiffness is missing; elastic_link needs stiffness",
        ),
        (
            SpecError,
            {"model": SHEAR + LINK + "force = 3.0\n"},
            "[model.links[0]] elastic_link has no force; it knows direction, end, kind, name, start, stiffness",
        ),
        (
            SpecError,
            {"model": FRAME.replace('start = "A"\n', "", 1)},
            "model.members[0].start is missing: node where it starts",
        ),
        (SpecError, {"load": '[[motion]]\nrecord = "kobe"\n'}, "motion[0].record must be 'el_centro', got 'kobe'"),
        (
            SpecError,
            {"load": '[[load]]\nkind = "sine"\namplitude = 1.0\n'},
            "[load[0]] give exactly one of omega and period, got none",
        ),
        (
            SpecError,
            {"more": '[start]\nslip = 0.0\n[gravity]\nforces = {"floor 1" = 2.0}\n'},
            "give at most one of [start] and [gravity]; gravity is where the history starts",
        ),
        (ModelError, {"model": SHEAR.replace("[300.0, 200.0]", "[300.0]")}, None),
        (ModelError, {"model": SHEAR + "weights = 5.0\n"}, "model.weights act through P-Delta, which needs heights"),
        (
            ModelError,
            {"model": SHEAR + LINK.replace("5.0", "-5.0")},
            "model.links[0].stiffness must be positive, got -5",
        ),
        (
            ModelError,
            {"model": SHEAR + LINK.replace("end = 1", "end = 7")},
            "[model] elastic link 1: there is no floor 7; floors are 1 to 2, 0 is the ground",
        ),
        (
            LawError,
            {"model": SHEAR + "laws = [{yield_force = 1.0}, {yield_force = 1.0, viscosity = -2.0}]\n"},
            "model.laws[1].viscosity must not be negative, got -2",
        ),
        (
            LawError,
            {"model": FRAME.replace("[{yield_force = 30.0}, {}]", "[{yield_force = 30.0}, {yield_force = -1.0}]")},
            "model.members[2].hinges[1].yield_force must not be negative, got -1",
        ),
        (
            LawError,
            {"model": FRAME.replace("{yield_force = 50.0}", "{yield_force = 5.0, isotropic = -1.0}")},
            "model.sections.column.hinges.isotropic must not be negative, got -1; softening is not a convex law",
        ),
        (
            ModelError,
            {"model": FRAME.replace('section = "column"', 'section = "colum"', 1)},
            "model.members[0].section: there is no 'colum'; sections are column",
        ),
        (
            ModelError,
            {"model": FRAME.replace("modulus = 2e8\n", "")},
            "model.members[0] has no modulus; give it, or a section that has it",
        ),
        (
            ModelError,
            {"model": FRAME.replace('end = "B"', 'end = "X"', 1)},
            "[model] A-X: there is no node 'X'; nodes are 'A', 'B', 'C', 'D'",
        ),
        (
            ModelError,
            {"model": TRUSS.replace('name = "right"', 'name = "A-C"')},
            "model.bars[1]: another of the bars is named 'A-C'; give it a name of its own",
        ),
        (
            LoadError,
            {"load": '[load]\nkind = "constant"\namplitude = 1.0\n'},
            "load.at is missing: the dof it acts on, one of floor 1, floor 2; or factors by dof",
        ),
        (
            LoadError,
            {"load": '[[load]]\nkind = "constant"\namplitude = 1.0\nat = "roof"\n'},
            "load[0].at names 'roof', which is no dof; dofs are floor 1, floor 2",
        ),
        (
            LoadError,
            {"load": '[motion]\nrecord = "el_centro"\ndirection = "z"\n'},
            "[motion] the model has no direction 'z'; it has x",
        ),
        (
            LoadError,
            {"load": '[[support]]\nat = "A.x"\ndisplacements = [0.0]\nstep = 1.0\n'},
            "support[0].at names 'A.x', which is no support; supports are ground",
        ),
        (
            UnitError,
            {"load": '[[support]]\nat = "ground"\nfile = "a.csv"\nunit = "yard"\n'},
            "[support[0]] unknown unit of length 'yard'; known: m, cm, mm, in, ft",
        ),
        (
            ProblemError,
            {"more": "[start]\ndisplacement = 0.1\n"},
            'start.displacement must name its dofs, as in displacement = {"floor 1" = 0.1}',
        ),
        (
            ProblemError,
            {"more": "[start]\ndisplacement = [0.1]\n"},
            "start.displacement has 1 entries, the model has 2 dofs",
        ),
        (
            ProblemError,
            {"more": "[limit]\ndrift_ratio = -1.0\n"},
            "limit.drift_ratio must be a positive number or None, got -1.0",
        ),
    ],
)
def test_mistakes_are_told_with_their_place(read, kind, tables, message):
    found, said = told(read, **tables)
    assert found is kind
    assert said == message or (message is None and said.startswith(("model.", "[model] ")))


def test_kinds_of_schemes_are_found_by_the_names_of_their_classes(read):
    _, said = told(read, scheme='[scheme]\nkind = "DiscontinuousGalerkin"\nstep = 0.01\n')
    assert said.endswith("got 'DiscontinuousGalerkin'; did you mean 'discontinuous_galerkin'?")


DIAPHRAGM = FRAME.replace("[model.nodes]", 'diaphragms = {roof = ["B", "C"]}\n[model.nodes]')
MOVES = "B.x moves with diaphragm roof: use roof.x"


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ('[gravity]\nforces = {"B.x" = 1.0}\n', f"gravity.forces names 'B.x', which is no dof; {MOVES}"),
        ('[start]\nvelocity = {"B.x" = 1.0}\n', f"start.velocity names 'B.x', which is no dof; {MOVES}"),
        ('[pushover]\ndisplacement = 1.0\npattern = "B.x"\n', f"[pushover] 'B.x' is no dof; {MOVES}"),
        ('[pushover]\ndisplacement = 1.0\npattern = {"B.x" = 1.0}\n', f"[pushover] 'B.x' is no dof; {MOVES}"),
        (
            '[gravity]\nforces = {"E.y" = 1.0}\n',
            "gravity.forces names 'E.y', which is no dof; there is no node 'E'; nodes are A, B, C, D",
        ),
        ('[gravity]\nforces = {"A.x" = 1.0}\n', "gravity.forces names 'A.x', which is no dof; a support holds A.x"),
        (
            '[gravity]\nforces = {"B.ry" = 1.0}\n',
            "gravity.forces names 'B.ry', which is no dof; dofs are B.y, B.rz, C.y, C.rz, roof.x",
        ),
    ],
)
def test_a_node_that_moves_with_others_is_told_with_them(read, more, said):
    assert told(read, model=DIAPHRAGM, load='[load]\nkind = "none"\n', more=more)[1] == said


def test_names_that_look_alike_come_first(read):
    tall = SHEAR.replace("[2.0, 1.0]", str([1.0] * 20)).replace("[300.0, 200.0]", "300.0")
    _, said = told(read, model=tall, load='[load]\nkind = "constant"\namplitude = 1.0\nat = "flor 17"\n')
    assert "dofs are floor 17, " in said
    assert said.endswith(" …")
