"""Achieved figures: the strictest limit that a release keeps of any model in the catalog."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.errors import Undefined
from workbench.measures import Measure, Measured, classes_of
from workbench.models import Model
from workbench.parameters import catalog, parameter
from workbench.release import Release

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
        return "higher" if MODELS[self.model].at_least else "lower"

    @property
    def best(self) -> float:  # type: ignore[override]
        return float("inf") if MODELS[self.model].at_least else 0.0

    @property
    def key(self) -> str:
        return f"{MODELS[self.model].figure} ({self.model})"

    def measure(self, release: Release) -> Measured:
        model, classes = MODELS[self.model].bare(), classes_of(release)
        if model.needs_sensitive and not classes.sensitive:
            raise Undefined(f"this release publishes no sensitive column, so it has no {model.figure}")
        scores = np.asarray(model.score(classes), float)
        value = float(scores.min() if model.at_least else scores.max())
        sentence = f"It keeps {self.model} up to {model.figure} = {value:.4g}, whatever was asked for."
        return Measured(value, sentence, {"score": scores, "sizes": classes.sizes})
