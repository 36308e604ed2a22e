"""Data frames with exact values that notebooks and consoles display rounded."""

from __future__ import annotations

import pandas as pd

from workbench.base.figures import format_number


class FigureFrame(pd.DataFrame):
    """A frame that shows its numbers with three significant digits; its values are exact."""

    @property
    def _constructor(self) -> type[FigureFrame]:
        return FigureFrame

    def _repr_html_(self) -> str | None:
        with pd.option_context("display.float_format", format_number):
            html: str | None = super()._repr_html_()  # type: ignore[misc]
        return html

    def __repr__(self) -> str:
        with pd.option_context("display.float_format", format_number):
            return super().__repr__()
