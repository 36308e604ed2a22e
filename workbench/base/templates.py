"""HTML templates; values are escaped unless they are the output of a template."""

from __future__ import annotations

from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup


class Templates:
    """The templates of some packages; the first package with a name has precedence."""

    def __init__(self, *packages: str) -> None:
        self._environment = Environment(
            loader=ChoiceLoader([PackageLoader(package) for package in packages]),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._environment.filters["no_break"] = no_break
        self._environment.policies["json.dumps_kwargs"] = {}  # without sorting keys

    def render(self, template: str, /, **values: Any) -> Markup:
        """Render a template; the result may be a value of another."""
        return Markup(self._environment.get_template(template).render(**values).strip())


def no_break(text: str) -> str:
    """Put non-breaking spaces before percent signs."""
    return text.replace(" %", "\u00a0%")
