"""What neutral columns tell beside a release, against pandas' groupby over what a reader has."""

import pytest

from workbench.methods import Keep, Mondrian, Remove
from workbench.models import KAnonymity


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("method", [Mondrian(), Mondrian(strict=False), Remove(), Remove("work"), Keep()], ids=str)
def test_it_is_a_naive_count_over_the_released_frame(small, seed, method):
    table = small(seed)
    table = table.drop(["person"]) if seed % 2 else table
    release = method(table, KAnonymity(4)) if isinstance(method, Mondrian) else method(table)
    frame = release.frame().astype(object).fillna("?")
    known = [name for name in frame.columns if name not in table.sensitive]
    groups = frame.groupby(known) if known else frame.groupby(lambda _: 0)
    sizes, kinds = groups.size(), groups["disease"].nunique()
    found = release.beside
    assert (found.records, found.unique) == (len(frame), int((sizes == 1).sum()))
    assert found.certain == int(sizes[kinds == 1].sum())


@pytest.mark.parametrize("seed", range(4))
def test_in_buckets_the_class_alone_tells_the_sensitive_value(small, seed):
    table = small(seed)
    release = Mondrian(publish="bucketized")(table, KAnonymity(4))
    tables = release.tables()
    records, counted = tables["records"], tables["disease"]
    alike = records.drop(columns="class").astype(object).fillna("?")
    kinds = counted.groupby("class")["disease"].size()
    alone = alike.groupby(list(alike.columns)).size()
    assert release.beside.unique == int((alone == 1).sum())
    assert release.beside.certain == int(records["class"].map(kinds).eq(1).sum())
