"""Achieved figures."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.base.errors import Undefined
from workbench.base.figures import format_number
from workbench.base.parameters import parameter
from workbench.base.variants import catalog
from workbench.measures import Measure, Measured
from workbench.models import Model
from workbench.redaction.controlled_rounding import round_average
from workbench.releases.base import Release
from workbench.releases.published_classes import round_classes

MODELS = catalog("workbench.models", Model)


@dataclass(frozen=True)
class Achieved(Measure):
    """The achieved k, alpha, l, t, delta or beta: the worst score over the classes, whatever model was requested."""

    model: str = parameter("k-anonymity", "model whose figure is measured", choices=tuple(MODELS))
    name = "achieved figure"
    title = "Achieved figures"
    summary = "the strictest limit of any model in the catalog that a release satisfies"
    symbol = "achieved"
    worst_case = True
    side = "privacy"

    @property
    def unit(self) -> str:  # type: ignore[override]
        return f"{MODELS[self.model].figure} of {self.model}"

    @property
    def better(self) -> str:  # type: ignore[override]
        return MODELS[self.model].with_loosest_parameters().better

    @property
    def best(self) -> float:  # type: ignore[override]
        return float("inf") if MODELS[self.model].at_least else 0.0

    @property
    def key(self) -> str:
        return f"{MODELS[self.model].figure} ({self.model})"

    def publish(self, measured: Measured, release: Release, smallest: int) -> tuple[float | None, str]:
        model = MODELS[self.model].with_loosest_parameters()
        if model.needs_population:  # counts of people in the population are not rounded
            return None, f"{self.key}: not published."
        scores = np.asarray(model.score(round_classes(release.classes, smallest)), float)
        value = round_average(float(scores.min() if model.at_least else scores.max()), better=self.better)
        return value, f"It satisfies {self.model} with {model.figure} = {format_number(value, model.better)} or better."

    def guaranteed_bound(self, release: Release, model: Model, smallest: int) -> float | None:
        bare = MODELS[self.model].with_loosest_parameters()
        return model.limit if bare.to_dict() == {**model.to_dict(), **_own(bare)} else None

    def measure(self, release: Release) -> Measured:
        model, classes = MODELS[self.model].with_loosest_parameters(), release.classes
        if model.needs_sensitive and not classes.sensitive:
            raise Undefined(f"this release publishes no sensitive column, so it has no {model.figure}")
        scores = np.asarray(model.score(classes), float)
        value = float(scores.min() if model.at_least else scores.max())
        achieved = f"{model.figure} = {format_number(value)}"
        sentence = f"It achieves {achieved} of {self.model}, whatever model was requested."
        return Measured(value, sentence, {"score": scores, "sizes": classes.sizes})


def _own(model: Model) -> dict[str, object]:
    """Return the parameter that is the model's limit."""
    return {name: value for name, value in model.settings().items() if name == model.figure}
