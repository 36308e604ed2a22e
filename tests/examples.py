"""How much of a property `make test` tries."""

import pytest
from hypothesis import settings


def examples(count: int) -> settings:
    """Return settings for `count` examples, scaled with the default number of the profile (100 in a full run)."""
    return settings(max_examples=max(1, count * settings.default.max_examples // 100))


def seeds(count: int, fast: int) -> list:
    """Return seeds for parametrize; those from `fast` on are slow tests."""
    return [pytest.param(seed, marks=[pytest.mark.slow] * (seed >= fast)) for seed in range(count)]
