"""An undo history."""

from __future__ import annotations

from typing import Generic, TypeVar

S = TypeVar("S")


class History(Generic[S]):
    """The current state, the states before it and those that were undone; the states are immutable."""

    def __init__(self, state: S, limit: int = 200) -> None:
        self._past: list[S] = []
        self._future: list[S] = []
        self._current = state
        self._limit = limit

    @property
    def state(self) -> S:
        """The current state."""
        return self._current

    @property
    def can_undo(self) -> bool:
        """Return whether there is an earlier state."""
        return bool(self._past)

    @property
    def can_redo(self) -> bool:
        """Return whether there is an undone state."""
        return bool(self._future)

    def push(self, state: S) -> None:
        """Add a new state and discard undone states; a state equal to the current one is ignored."""
        if state == self._current:
            return
        self._past = [*self._past, self._current][-self._limit :]
        self._future = []
        self._current = state

    def replace(self, state: S) -> None:
        """Replace the current state without a new step, and discard undone states."""
        self._future = []
        self._current = state

    def undo(self) -> S:
        """Return to the previous state, if there is one, and return the current state."""
        if self._past:
            self._future.append(self._current)
            self._current = self._past.pop()
        return self._current

    def redo(self) -> S:
        """Restore the state that was undone last, if there is one, and return the current state."""
        if self._future:
            self._past.append(self._current)
            self._current = self._future.pop()
        return self._current
