"""How Sphinx makes the documentation site: ``python -m sphinx -W --keep-going -b html docs build/html``.

The pages are plain Markdown that a code host shows as well, so links between them are relative paths. The notebooks lie
beside this folder, where people look for them; the site has copies of them as pages, which it executes. Nothing is
fetched while the site is built, and its pages fetch nothing either.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from sphinx.application import Sphinx

import trisolve

HERE = Path(__file__).parent

project = "trisolve"
author = "the trisolve authors"
copyright = author
version = release = trisolve.__version__

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["notebooks/README.md"]
smartquotes = False  # they make a dash of the two hyphens of an option

myst_heading_anchors = 3
myst_enable_extensions = ["html_image"]
nb_execution_mode = "force"
nb_execution_in_temp = True
nb_execution_raise_on_error = True
nb_execution_timeout = 120
nb_merge_streams = True

autodoc_member_order = "bysource"
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 80
# References into trisolve must lead somewhere. The pages of other packages are not asked, and types that engines use
# among themselves have no place on a page.
nitpicky = True
nitpick_ignore_regex = [("py:.*", r"(?!trisolve\b).*"), ("py:class", r"trisolve\.engines\.(kernels|parts)\..*")]

html_theme = "furo"
pygments_dark_style = "github-dark"
html_title = "trisolve"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False


def bring_notebooks(app: Sphinx) -> None:
    """Copy the notebooks to where Sphinx looks for pages."""
    shutil.rmtree(HERE / "notebooks", ignore_errors=True)
    (HERE / "notebooks").mkdir()
    for notebook in (HERE.parent / "notebooks").glob("*.md"):
        shutil.copy(notebook, HERE / "notebooks")


def relink(app: Sphinx, page: str, source: list[str]) -> None:
    """Follow the notebooks to where they were brought."""
    source[0] = source[0].replace("](../docs/", "](../").replace("](../notebooks/", "](notebooks/")


def end_sections(app: Sphinx, what: str, name: str, thing: object, options: object, lines: list[str]) -> None:
    """Let a section of a docstring end at a blank line, as it does in ours: napoleon wants two."""
    for i in range(len(lines) - 1, 0, -1):
        if not lines[i - 1] and lines[i][:1].strip():
            lines.insert(i, "")


def setup(app: Sphinx) -> None:
    """Called by Sphinx."""
    app.connect("builder-inited", bring_notebooks)
    app.connect("source-read", relink)
    app.connect("autodoc-process-docstring", end_sections, priority=400)  # before napoleon
