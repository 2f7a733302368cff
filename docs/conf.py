"""How the documentation is built: `make docs`; warnings are errors."""

import os
from pathlib import Path

import egonet

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
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_gallery.gen_gallery",
]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
exclude_patterns = [
    "pictures",
    "gallery/**/*.md5",
    "gallery/**/*.ipynb",
    "gallery/**/*.py",
    "gallery/**/*.json",
]

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
autosummary_generate = True
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
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
    "within_subsection_order": "FileNameSortKey",
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
html_sidebars = {"*": []}
html_theme_options = {
    "show_prev_next": True,
    "navigation_with_keys": True,
    "secondary_sidebar_items": ["page-toc"],
    "logo": {"text": "egonet"},
    "header_links_before_dropdown": 5,
    "navbar_align": "left",
    "navbar_persistent": [],
    "navbar_end": ["search-button", "theme-switcher"],
    "footer_start": ["copyright"],
    "footer_end": [],
}
