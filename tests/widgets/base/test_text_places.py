"""Places in a text."""

from hypothesis import given
from hypothesis import strategies as st

from widgets.base.text_places import place, units


@given(st.text(), st.integers(0, 20))
def test_places_are_those_of_a_browser(text, at):
    at = min(at, len(text))
    assert units(text, at) == sum(1 + (ord(sign) > 0xFFFF) for sign in text[:at])
    assert place(text, units(text, at)) == at


def test_half_a_character_has_a_place():
    assert place("😀a", 1) in (0, 1) and units("\ud83da", 1) == 1 and place("a", 99) == 1
