"""How the site is built: ``sphinx-build -W docs docs/_build`` (extra ``docs``)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from maze_gym import __version__

if TYPE_CHECKING:
    import sphinx.application

project = "maze_gym"
author = "The maze_gym authors"
copyright = author  # noqa: A001 - Sphinx's own name for it
version = release = __version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
    "sphinx_copybutton",
    "sphinx_design",
]
exclude_patterns = ["_build"]
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_default_options = {"members": True, "show-inheritance": True}
autodoc_preserve_defaults = True
python_use_unqualified_type_names = True
napoleon_google_docstring = True
napoleon_numpy_docstring = False
napoleon_use_ivar = True  # attributes are told once, in the class docstring

html_theme = "furo"
html_title = f"maze_gym {version}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#8a1560", "color-brand-content": "#8a1560"},
    "dark_css_variables": {"color-brand-primary": "#ff8ad4", "color-brand-content": "#ff8ad4"},
}


def setup(app: sphinx.application.Sphinx) -> None:
    """Leave out what says nothing: ``Alias for field number 3``."""
    app.connect("autodoc-skip-member", _skip)


def _skip(app: object, what: str, name: str, member: object, skip: bool, options: object) -> bool | None:  # noqa: FBT001
    del app, what, name, options
    return True if type(member).__name__ == "_tuplegetter" else (skip or None)
