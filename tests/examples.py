"""The number of examples of a property test."""

from hypothesis import settings


def examples(count: int) -> settings:
    """Return settings for `count` examples, scaled with the default number of the profile (100 in a full run)."""
    return settings(max_examples=max(1, count * settings.default.max_examples // 100))
