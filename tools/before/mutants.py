"""Put small faults into march, laws and doors, and count what sees them: python mutants.py [--count 200] [--seed 37].

A fault is one operator, comparison, constant or condition of one line, chosen by the seed. It is seen by the problems
of ``mutants.json`` (those that take least, uncompiled, against the unchanged source) or else by the test file of its
module, where that passes without the fault.
``mutants.toml`` keeps what saw each; a run goes on where it was stopped.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
GROUPS = {"march": ("march", "schemes", "solve"), "laws": ("model/laws",), "doors": ("cli", "spec", "studio")}
SHARES = {"march": 0.5, "laws": 0.25, "doors": 0.25}
SWAPS: dict[type[ast.AST], type[ast.AST]] = {
    **{ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.Pow: ast.Mult},
    **{ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq},
    **{ast.And: ast.Or, ast.Or: ast.And, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In},
}
PLAIN = {"NUMBA_DISABLE_JIT": "1", "OPENBLAS_NUM_THREADS": "1"}
SECONDS = 240  # that a folder of tests may take for a mutant


def faults(tree: ast.Module) -> Iterator[tuple[int, Any]]:
    """Lines that can be spoilt, each with a function that does it; texts and annotations are left alone."""
    for node in ast.walk(tree):
        if isinstance(node, ast.BinOp | ast.BoolOp) and type(node.op) in SWAPS:
            yield node.lineno, lambda node=node: setattr(node, "op", SWAPS[type(node.op)]())
        elif isinstance(node, ast.Compare) and type(node.ops[0]) in SWAPS:
            yield node.lineno, lambda node=node: node.ops.__setitem__(0, SWAPS[type(node.ops[0])]())
        elif isinstance(node, ast.If | ast.IfExp | ast.While):
            yield node.lineno, lambda node=node: setattr(node, "test", ast.UnaryOp(ast.Not(), node.test))
        elif isinstance(node, ast.Constant) and type(node.value) in (int, float, bool):
            yield (
                node.lineno,
                lambda node=node: setattr(
                    node, "value", not node.value if isinstance(node.value, bool) else node.value + 1
                ),
            )


def chosen(count: int, seed: int) -> list[dict[str, Any]]:
    """Faults by group, file and number, the same for the same source and seed."""
    found = []
    for group, folders in GROUPS.items():
        places = []
        for file in sorted(file for folder in folders for file in (ROOT / "src/hamex" / folder).rglob("*.py")):
            texts = [line.strip() for line in file.read_text(encoding="utf-8").splitlines()]
            for number, (line, _) in enumerate(faults(ast.parse(file.read_text(encoding="utf-8")))):
                if line > 30 and not texts[line - 1].startswith(("from ", "import ", "@", '"', 'f"', "raise ")):
                    places.append((file.relative_to(ROOT / "src/hamex").as_posix(), number, line, texts[line - 1]))
        for name, number, line, text in random.Random(seed).sample(places, round(count * SHARES[group])):
            found.append({"group": group, "file": name, "number": number, "line": line, "text": text})
    return found


def probe(answers: Path, save: bool) -> str:
    """Ask the problems, cheap ones first; the first whose answer differs from the one in the folder, or ""."""
    os.environ["HAMEX_EXAMPLES"] = str(ROOT / "examples")
    import compare
    import doors  # noqa: F401  (adds problems)
    import record
    from problems import PROBLEMS

    order = json.loads((HERE / "mutants.json").read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as place:
        for name in order:
            file = record.file_of(answers if save else Path(place), name)
            record.keep(file, name, *record.answered(PROBLEMS[name]))
            if not save and compare.judged(record.file_of(answers, name), file)["figure"] > compare.SAME:
                return name
    return ""


def passes(tests: Path, environment: dict[str, str]) -> bool:
    """Tell whether a file of tests passes, in time."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-m", "not heavy", "-p", "no:cacheprovider", str(tests)]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, timeout=SECONDS).returncode == 0


@cache
def passes_at_all(tests: Path) -> bool:
    """Tell whether a file of tests passes uncompiled, without any fault."""
    return passes(tests, os.environ | PLAIN)


def judged(fault: dict[str, Any], answers: Path) -> dict[str, Any]:
    """What sees a fault: a problem, a hang, the tests of its module, or nothing."""
    name = Path(fault["file"])
    with tempfile.TemporaryDirectory() as place:
        shutil.copytree(ROOT / "src", Path(place) / "src", ignore=shutil.ignore_patterns("__pycache__"))
        file = Path(place) / "src/hamex" / name
        tree = ast.parse(file.read_text(encoding="utf-8"))
        list(faults(tree))[fault["number"]][1]()
        file.write_text(ast.unparse(ast.fix_missing_locations(tree)), encoding="utf-8")
        spoilt = os.environ | PLAIN | {"PYTHONPATH": f"{place}/src"}
        ask = [sys.executable, __file__, "--probe", str(answers)]
        try:
            asked = subprocess.run(ask, cwd=place, env=spoilt, capture_output=True, text=True, timeout=SECONDS)
        except subprocess.TimeoutExpired:
            return fault | {"seen": "hang"}
        if asked.returncode:
            return fault | {"seen": f"problem {asked.stdout.strip() or 'of the start'}"}
        tests = ROOT / "tests" / name.parent / f"test_{name.stem.strip('_')}.py"
        if not tests.exists():
            return fault | {"seen": ""}
        try:
            seen = passes_at_all(tests) and not passes(tests, spoilt)
        except subprocess.TimeoutExpired:
            seen = False
        return fault | {"seen": tests.name if seen else ""}


def written(found: list[dict[str, Any]]) -> str:
    """The record: shares that were seen by group, and every fault with what saw it."""
    lines = ["# Faults and what sees them; written by mutants.py, which goes on where it was stopped.", "[seen]"]
    for group in GROUPS:
        own = [bool(one["seen"]) for one in found if one["group"] == group]
        lines.append(f'{group} = "{sum(own)} of {len(own)}"')
    for one in found:
        lines += [
            "",
            "[[fault]]",
            *(f"{name} = {json.dumps(value, ensure_ascii=False)}" for name, value in one.items()),
        ]
    return "\n".join(lines) + "\n"


def main() -> int:
    """Judge the faults that were not judged yet, or all of them again and compare the shares."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=37)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--again", action="store_true", help="judge all of them in the present source, and compare")
    parser.add_argument("--probe", type=Path)
    parser.add_argument("--save", type=Path)
    words = parser.parse_args()
    if words.probe or words.save:
        different = probe(words.probe or words.save, save=words.save is not None)
        print(different)
        return int(bool(different))
    answers, kept = ROOT / "build/before/mutants", HERE / "mutants.toml"
    record = tomllib.loads(kept.read_text(encoding="utf-8")) if kept.exists() else {"seen": {}, "fault": []}
    answers.mkdir(parents=True, exist_ok=True)
    subprocess.run([sys.executable, __file__, "--save", str(answers)], cwd=answers, env=os.environ | PLAIN, check=True)
    found = [] if words.again else record["fault"]
    known = {(one["file"], one["number"], one["text"]) for one in found}
    faults = [one for one in chosen(words.count, words.seed) if (one["file"], one["number"], one["text"]) not in known]
    random.Random(words.seed).shuffle(faults)  # a part of them is a sample of all
    with ThreadPoolExecutor(words.workers) as pool:
        for one in pool.map(lambda fault: judged(fault, answers), faults):
            found.append(one)
            (answers / "mutants.toml" if words.again else kept).write_text(written(found), encoding="utf-8")
    shares = tomllib.loads(written(found))["seen"]
    print(shares)
    share = {name: [int(number) for number in text.split(" of ")] for name, text in (shares | record["seen"]).items()}
    now = {name: [int(number) for number in text.split(" of ")] for name, text in shares.items()}
    return int(any(now[name][0] * all_of < seen * now[name][1] for name, (seen, all_of) in share.items()))


if __name__ == "__main__":
    raise SystemExit(main())
