"""States that can be gone back to, and forward again."""

from __future__ import annotations

from typing import Generic, TypeVar

S = TypeVar("S")


class History(Generic[S]):
    """The present state, what came before it and what was undone; the states themselves are never changed."""

    def __init__(self, state: S, most: int = 200) -> None:
        self._past: list[S] = []
        self._future: list[S] = []
        self._present = state
        self._most = most

    @property
    def state(self) -> S:
        """The present state."""
        return self._present

    @property
    def can_undo(self) -> bool:
        """Return whether there is an earlier state."""
        return bool(self._past)

    @property
    def can_redo(self) -> bool:
        """Return whether there is an undone state."""
        return bool(self._future)

    def push(self, state: S) -> None:
        """Go on to a new state: what was undone is forgotten. A state equal to the present one is no step."""
        if state == self._present:
            return
        self._past = [*self._past, self._present][-self._most :]
        self._future = []
        self._present = state

    def replace(self, state: S) -> None:
        """The present state is another: no step of its own. What was undone is forgotten."""
        self._future = []
        self._present = state

    def undo(self) -> S:
        """The state before, which is now the present one; the present one where there is none before."""
        if self._past:
            self._future.append(self._present)
            self._present = self._past.pop()
        return self._present

    def redo(self) -> S:
        """The state that was undone last, which is now the present one; the present one where there is none."""
        if self._future:
            self._past.append(self._present)
            self._present = self._future.pop()
        return self._present
