"""The study's file, kept as one works; what another tab has written meanwhile is never overwritten unasked."""

from __future__ import annotations

import os
from pathlib import Path

from workbench.errors import BadInput
from workbench.study import Study


class Changed(BadInput):
    """Somebody else has written the file since we last saw it."""


class Keeper:
    """One file with a study, and what we last knew to be in it."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path).absolute()
        self._known: bytes | None = None

    def exists(self) -> bool:
        """Whether there is a study to come back to."""
        return self.path.exists()

    def open(self) -> Study:
        """The study in the file."""
        study = Study.open(self.path)
        self._known = self._there()
        return study

    def save(self, study: Study, over: bool = False) -> None:
        """Keep the study; raises Changed where that would undo what another has written, unless `over`."""
        text = study.to_yaml().encode()
        there = self._there()
        if there == text:
            self._known = text
            return
        if there != self._known and not over:
            raise Changed(
                f"{self.path.name} was changed in another tab or program since it was opened here: "
                "take what is there, or keep what is here"
            )
        study.save(self.path)
        self._known = text

    def _there(self) -> bytes | None:
        try:
            return self.path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise BadInput(f"{self.path.name} cannot be read: {error.strerror}") from None


def under_voila() -> bool:
    """Whether this kernel belongs to a page of Voila, which may have many visitors at once."""
    return os.environ.get("SERVER_SOFTWARE", "").startswith("voila")
