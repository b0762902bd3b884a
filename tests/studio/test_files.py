"""The scripts of the page as files: what imports what, and the one plain script of a page that is taken home."""

import pytest

from hamex.studio import home as files


@pytest.fixture
def given(monkeypatch):
    """Lets modules stand for the page's: their texts by name."""

    def put(**texts):
        named = {f"{name.replace('__', '/')}.js": text for name, text in texts.items()}
        monkeypatch.setattr(files, "text", named.__getitem__)

    return put


@pytest.fixture
def run(browser):
    """What a plain script answers to a question, in a page without a server."""
    context = browser.new_context()
    page = context.new_page()
    yield lambda script, question: page.evaluate(f"(() => {{\n{script}\nreturn {question};\n}})()")
    context.close()


def test_a_module_stands_behind_what_it_imports(given):
    given(
        top='import {b} from "./b.js";\nimport {a} from "./a.js";\n',
        a='import {c} from "./c.js";\nexport const a = c;\n',
        b='import {a} from "./a.js";\nimport {c} from "./c.js";\nexport const b = a + c;\n',
        c="export const c = 1;\n",
    )
    assert files.modules("top.js") == ["c.js", "a.js", "b.js", "top.js"]


def test_modules_in_folders_are_found_from_where_they_are_imported(given):
    given(
        top='import {show} from "./view/show.js";\n',
        view__show='import {part} from "./part.js";\nimport {shared} from "../shared.js";\nexport const show = 1;\n',
        view__part='import {shared} from "../shared.js";\nexport const part = 1;\n',
        shared="export const shared = 1;\n",
    )
    assert files.modules("top.js") == ["shared.js", "view/part.js", "view/show.js", "top.js"]


def test_a_circle_is_told_with_its_way(given):
    given(
        a='import {b} from "./b.js";\nexport const a = 1;\n',
        b='import {c} from "./c.js";\nexport const b = 1;\n',
        c='import {a} from "./a.js";\nexport const c = 1;\n',
    )
    with pytest.raises(RecursionError, match=r"import each other: a\.js → b\.js → c\.js → a\.js$"):
        files.modules("a.js")


def test_names_inside_modules_do_not_clash(given, run):
    given(
        top='import {one} from "./a.js";\nimport * as Folder from "./b/c.js";\nimport {two} from "./b_c.js";\n'
        "const size = 3;\nexport const all = [one(), Folder.two(), two(), size];\n",
        a="const size = 1;\nlet two = 0;\nexport function one() {\n  two += size;\n  return two;\n}\n",
        b__c="const size = 20;\nexport const two = () => size;\n",  # the same variable as b_c.js, were `/` an `_`
        b_c="const size = 300;\nexport const two = () => size;\n",
    )
    script = files.one_script("top.js")
    assert run(script, "module_top.all") == [1, 20, 300, 3]
    assert run(script, "typeof size") == "undefined"


def test_every_kind_of_export_and_import_is_carried_over(given, run):
    given(
        top='import {\n  Thing,\n  later,\n  number as renamed,\n} from "./all.js";\nimport * as All from "./all.js";\n'
        "const number = 1, thing = new Thing();\n"
        "export const answer = later().then((n) => [n, thing.n, renamed, number, All.number]);\n",
        all="export class Thing {\n  n = 5;\n}\nexport async function later() {\n  return 6;\n}\n"
        "export const number = 7;\n",
    )
    assert run(files.one_script("top.js"), "module_top.answer") == [6, 5, 7, 1, 7]


def test_a_text_that_looks_like_an_import_stays_a_text(given, run):
    line = 'import {gone} from "./gone.js";'
    given(
        top=f'// {line}\n/*\n{line}\n*/\nimport {{a}} from "./a.js";\nexport const text = `\n{line}\n`;\n'
        f"export const short = '{line}' + a;\n",
        a="export const a = 1;\n",
    )
    assert files.modules("top.js") == ["a.js", "top.js"]
    assert run(files.one_script("top.js"), "[module_top.text, module_top.short]") == [f"\n{line}\n", f"{line}1"]


@pytest.mark.parametrize(
    "line",
    ['export {a} from "./a.js";', 'export * from "./a.js";', "export {a};", "export default a;", "export let b = a;"],
)
def test_exports_of_what_is_not_declared_there_are_refused(given, line):
    given(top=f'import {{a}} from "./a.js";\n{line}\n', a="export const a = 1;\n")
    with pytest.raises(ValueError, match=r"^top\.js: export what is declared there, not: export "):
        files.one_script("top.js")


@pytest.mark.parametrize("line", ['import a from "./a.js";', 'import "./a.js";', 'import {a} from "a";'])
def test_imports_that_cannot_be_followed_are_refused(given, line):
    given(top=f"{line}\n", a="export const a = 1;\n")
    with pytest.raises(ValueError, match=r"^top\.js: import by name from a file of the page, not: import "):
        files.modules("top.js")


def test_every_script_of_the_page_is_served_and_needed():
    folder = files.resources.files("hamex.studio").joinpath("page")
    there = {path.relative_to(folder).as_posix() for path in folder.rglob("*.js")}
    assert there == {*files.modules(files.START), *files.modules(files.ALONE)}
    assert set(files.assets()) == {*files.modules(files.START), *files.STYLES, "style.css", "plotly.js", "index.html"}
