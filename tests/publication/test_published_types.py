"""The types of the published folder are all used and resolve."""

import inspect
from typing import get_args, get_type_hints, is_typeddict

from workbench.publication import published_types


def below(kind):
    """Yield a type and the types of its parts."""
    found = {kind} if is_typeddict(kind) else set()
    for piece in (*get_args(kind), *(get_type_hints(kind).values() if is_typeddict(kind) else ())):
        found |= below(piece)
    return found


def test_every_type_is_used_and_documented():
    declared = {one for one in vars(published_types).values() if is_typeddict(one)}
    assert (
        below(published_types.Results) | below(published_types.ClassRow) | below(published_types.PopulationRow)
        == declared
    )
    assert all((inspect.getdoc(one) or "").endswith(".") for one in declared)
