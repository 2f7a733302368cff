"""How the documentation is built: `make docs`; warnings are errors."""

import os
import sys
from pathlib import Path

import egonet

sys.path.insert(0, str(Path(__file__).parent))  # attributes and gallery_order

# One repeat shows what an example shows; the figures to trust are those of the experiments.
for name, value in {"EGONET_REPEATS": "1", "EGONET_EPOCHS": "25", "EGONET_COUNTRIES": "usa"}.items():
    os.environ.setdefault(name, value)
# Without the data sets, the examples that read them are shown but not run.
EXAMPLES = sorted((Path(__file__).parent.parent / "examples").glob("*.py"))
RUN = [path.stem for path in EXAMPLES if "EGONET_DATA" in os.environ or "EGONET_DATA" not in path.read_text()]

project = "egonet"
author = "The egonet developers"
project_copyright = "the egonet developers"
version = release = egonet.__version__

extensions = [
    "attributes",
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_gallery.gen_gallery",
]
highlight_options = {name: {"stripnl": True} for name in ("default", "pycon", "python", "text", "sh")}
templates_path = ["templates"]
default_role = "code"  # `name` in an example or docstring is code
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
# `make docs-links`, where there is a network. The repository and its pages are not public yet.
linkcheck_ignore = [r"https://github\.com/egonet/", r"https://egonet\.readthedocs\.io"]
linkcheck_timeout = 20
linkcheck_retries = 2
exclude_patterns = [
    "pictures",
    "templates",
    "gallery/**/*.md5",
    "gallery/**/*.ipynb",
    "gallery/**/*.py",
    "gallery/**/*.json",
]

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
autosummary_generate = True
autodoc_typehints = "signature"
autodoc_member_order = "groupwise"
autodoc_typehints_format = "short"
toc_object_entries_show_parents = "hide"
python_maximum_signature_line_length = 88
python_display_short_literal_types = True
numpydoc_show_class_members = False
numpydoc_xref_param_type = False

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": rf"/({'|'.join(RUN)})\.py$",
    "ignore_pattern": r"__init__\.py",
    "capture_repr": ("_repr_html_", "__repr__"),
    "within_subsection_order": "gallery_order.TutorialOrder",
    "download_all_examples": False,
    "show_memory": False,
    "write_computation_times": False,
    "default_thumb_file": str(Path(__file__).parent / "static" / "egonet.svg"),
    "show_signature": False,
    "abort_on_example_error": True,
    "remove_config_comments": True,
}

html_theme = "pydata_sphinx_theme"
html_title = "egonet"
html_logo = html_favicon = "static/egonet.svg"
html_static_path = ["static"]
html_css_files = ["egonet.css"]
html_show_sourcelink = False
html_sidebars = {"index": [], "when_it_helps": []}  # the others show the pages of their section
# The switch of versions is shown in a site of several versions: `make docs-version`.
VERSION = os.environ.get("EGONET_DOCS_VERSION")
html_context = {"default_mode": "auto", "docs_version": VERSION}
html_theme_options = {
    "show_prev_next": True,
    "navigation_with_keys": True,
    "secondary_sidebar_items": ["page-toc"],
    "logo": {"text": "egonet"},
    "header_links_before_dropdown": 5,
    "navbar_align": "left",
    "navbar_persistent": [],
    "navbar_end": [
        *(["version-switch"] if VERSION else []),
        "search-button",
        "theme-switcher",
        "navbar-icon-links",
    ],
    "icon_links": [
        {"name": "Code on GitHub", "url": "https://github.com/egonet/egonet", "icon": "fa-brands fa-github"}
    ],
    "footer_start": ["copyright"],
    "footer_end": [],
}
