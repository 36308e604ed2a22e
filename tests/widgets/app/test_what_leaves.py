"""What leaves is of the study at hand: everything is toggled at random under load, in a real kernel, and compared."""

import pytest

from tests.widgets.hands import write_data


@pytest.mark.slow
@pytest.mark.parametrize("toggles", [40, pytest.param(300, marks=pytest.mark.exhaustive)])
def test_what_is_exported_is_the_release_of_the_study_however_fast_it_changes(kernel, tmp_path, toggles):
    for name, seed in (("a.csv", 1), ("b.csv", 2)):
        write_data(tmp_path / name, seed)
    printed = kernel(f"from tests.widgets.hands import play\nprint(await play({toggles}, seed=0))")
    compared = eval(printed.splitlines()[-1])
    assert min(compared.values()) >= toggles / 10, "it was possible all the time"
