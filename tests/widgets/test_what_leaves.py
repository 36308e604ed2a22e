"""What leaves is of the study at hand: everything is toggled at random under load, in a real kernel, and compared."""

import pytest

from tests.widgets.hands import write_data


@pytest.mark.slow
def test_what_is_exported_is_the_release_of_the_study_however_fast_it_changes(kernel, tmp_path):
    for name, seed in (("a.csv", 1), ("b.csv", 2)):
        write_data(tmp_path / name, seed)
    printed = kernel("from tests.widgets.hands import play\nprint(await play(300, seed=0))")
    compared = eval(printed.splitlines()[-1])
    assert min(compared.values()) >= 30, "it was possible all the time"
