"""HTML for notebooks: escaped, readable on light and dark pages."""

from egonet.notebook import html_table, html_text


def test_every_cell_is_escaped_and_numbers_are_grouped():
    html = html_table("<i>", [("<b>", 1234, 0.5)], header=("&", "n", "x"), note="<u>")

    assert "<i>" not in html
    assert "<b>" not in html
    assert "<u>" not in html
    assert "&amp;" in html
    assert "1,234" in html
    assert html.count("text-align:right") == 2


def test_colors_are_those_of_the_page():
    html = html_table("title", [("a", 1)]) + html_text("one\ntwo")

    assert "#" not in html
    assert html.count("color:inherit") == 2
