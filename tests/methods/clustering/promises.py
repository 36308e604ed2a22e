"""Properties of every clustering, whatever the table, the model and the seed."""

from collections import Counter

from workbench.data.table import Table
from workbench.methods import Method
from workbench.models import Model


def check(method: Method, table: Table, model: Model, k: int, seed: int) -> None:
    """Check that the model holds, every class has k records, none is suppressed, and the same seed gives the same."""
    release = method(table, model, seed)
    assert release.audit(model).holds
    assert int(release.classes.sizes.min()) >= k
    assert release.suppressed == 0 and int(release.classes.sizes.sum()) == table.records
    again = method(table.with_roles(table.quasi, tuple(table.sensitive)), model, seed)
    assert regions(again) == regions(release)
    assert {len(file) for file in release.tables().values()} >= {table.records}


def regions(release) -> Counter:
    """Return the published regions and the records of classes."""
    classes = release.classes
    histograms = [tuple(map(tuple, counts.tolist())) for counts in classes.histograms.values()]
    return Counter(zip(map(tuple, classes.regions().tolist()), classes.sizes.tolist(), *histograms, strict=True))
