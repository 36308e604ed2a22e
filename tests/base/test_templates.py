"""Templates escape every value except the output of templates."""

import pytest
from jinja2 import DictLoader, UndefinedError
from markupsafe import Markup

from workbench.base.templates import Templates

HOSTILE = "</script><script>&\"' 5 %"
PAGES = {
    "text.html": '<p title="{{ value }}">{{ value }}</p>',
    "firm.html": "{{ value|no_break }}",
    "script.html": "<script>const value = {{ value|tojson }};</script>",
    "outer.html": "<div>{{ inner }}</div>",
}


@pytest.fixture
def templates() -> Templates:
    made = Templates("workbench.charts")
    made._environment.loader = DictLoader(PAGES)
    return made


def test_a_value_is_escaped_in_text_in_an_attribute_and_in_a_script(templates):
    told = "&lt;/script&gt;&lt;script&gt;&amp;&#34;&#39; 5 %"
    assert templates.render("text.html", value=HOSTILE) == f'<p title="{told}">{told}</p>'
    assert templates.render("firm.html", value=HOSTILE) == told.replace(" %", "\u00a0%")
    assert templates.render("script.html", value={"b": HOSTILE, "a": 1}).count("script>") == 2


def test_the_output_of_a_template_is_html_in_another(templates):
    inner = templates.render("text.html", value="<b>")
    assert isinstance(inner, Markup)
    assert templates.render("outer.html", inner=inner) == f"<div>{inner}</div>"
    assert templates.render("outer.html", inner=str(inner)) != f"<div>{inner}</div>"


def test_a_missing_value_is_an_error(templates):
    with pytest.raises(UndefinedError):
        templates.render("text.html")
