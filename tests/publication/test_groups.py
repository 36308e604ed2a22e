"""What is said of the groups of a release."""

from tests.publication.published import carried
from workbench.publication import groups


def test_groups_are_counted_and_said_in_what_order_they_come(read):
    for index in carried(read):
        count = read.opened(index)["classes"]
        assert groups.counted(read, index).startswith(f"{count} group")
        assert groups.order(read, index).startswith(("The most exposed first", "All are groups of fewer than"))
