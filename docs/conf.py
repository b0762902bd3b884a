"""How the site is built: ``make docs``. Nothing is fetched, and a warning is an error.

Blocks such as ``{names}`` or ``{problem-file}`` in the pages are filled by ``extensions/``, from the package itself.
"""

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

import hamex  # noqa: E402

project = "hamex"
author = "The hamex developers"
version = release = hamex.__version__
project_copyright = author
html_title = f"hamex {version}"

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "extensions.blocks",
    "extensions.docstrings",
    "extensions.links",
    "extensions.mathml",
]
exclude_patterns = ["extensions"]
myst_enable_extensions = ["dollarmath", "deflist"]
myst_heading_anchors = 3
myst_links_external_new_tab = False

html_theme = "furo"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_math_renderer = "mathml"
html_copy_source = False
html_show_sourcelink = False
html_show_copyright = False
html_show_sphinx = False
html_theme_options = {"navigation_with_keys": False}

nitpicky = True
add_module_names = False
python_use_unqualified_type_names = True
maximum_signature_line_length = 88
toc_object_entries = False  # every name has a heading of its own
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_class_signature = "mixed"
