"""Templates: HTML with places for values, each of which is escaped unless it is HTML of a template already."""

from __future__ import annotations

from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup


class Templates:
    """The files in the `templates` folders of some packages, the first that has a name."""

    def __init__(self, *packages: str) -> None:
        self._environment = Environment(
            loader=ChoiceLoader([PackageLoader(package) for package in packages]),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._environment.filters["firm"] = firm
        self._environment.policies["json.dumps_kwargs"] = {}  # in the order given

    def render(self, template: str, /, **values: Any) -> Markup:
        """A template with its values; it may be a value of another."""
        return Markup(self._environment.get_template(template).render(**values).strip())


def firm(text: str) -> str:
    """The same text, its shares kept on one line."""
    return text.replace(" %", "\u00a0%")
