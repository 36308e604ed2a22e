"""Achieved figures: the strictest limit that a release keeps of any model in the catalog."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.base.errors import Undefined
from workbench.base.figures import figures
from workbench.base.small_counts import averaged
from workbench.base.variants import catalog, parameter
from workbench.measures import Measure, Measured
from workbench.models import Model
from workbench.releases.base import Release
from workbench.releases.published_classes import told_classes

MODELS = catalog("workbench.models", Model)


@dataclass(frozen=True)
class Achieved(Measure):
    """The achieved k, alpha, l, t, delta or beta: the worst score over the classes, whatever the model asked for."""

    model: str = parameter("k-anonymity", "the model whose figure is measured", choices=tuple(MODELS))
    name = "achieved figure"
    symbol = "achieved"
    side = "privacy"

    @property
    def unit(self) -> str:  # type: ignore[override]
        return f"{MODELS[self.model].figure} of {self.model}"

    @property
    def better(self) -> str:  # type: ignore[override]
        return MODELS[self.model].bare().better

    @property
    def best(self) -> float:  # type: ignore[override]
        return float("inf") if MODELS[self.model].at_least else 0.0

    @property
    def key(self) -> str:
        return f"{MODELS[self.model].figure} ({self.model})"

    def publish(self, measured: Measured, release: Release, smallest: int) -> tuple[float | None, str]:
        model = MODELS[self.model].bare()
        if model.needs_population:  # counts of its people are not coarsened
            return None, f"{self.key}: not told."
        scores = np.asarray(model.score(told_classes(release.classes, smallest)), float)
        value = averaged(float(scores.min() if model.at_least else scores.max()), better=self.better)
        return value, f"It keeps {self.model} up to {model.figure} = {figures(value, model.better)} or better."

    def promised(self, release: Release, model: Model, smallest: int) -> float | None:
        bare = MODELS[self.model].bare()
        return model.limit if bare.to_dict() == {**model.to_dict(), **_own(bare)} else None

    def measure(self, release: Release) -> Measured:
        model, classes = MODELS[self.model].bare(), release.classes
        if model.needs_sensitive and not classes.sensitive:
            raise Undefined(f"this release publishes no sensitive column, so it has no {model.figure}")
        scores = np.asarray(model.score(classes), float)
        value = float(scores.min() if model.at_least else scores.max())
        achieved = f"{model.figure} = {figures(value, model.better)}"
        sentence = f"It achieves {achieved} of {self.model}, whatever model was requested."
        return Measured(value, sentence, {"score": scores, "sizes": classes.sizes})


def _own(model: Model) -> dict[str, object]:
    """The parameter that is the model's limit."""
    return {name: value for name, value in model.settings().items() if name == model.figure}
