"""People covered by the labels of a released file, counted one by one.

Labels are parsed with regular expressions, and nodes of hierarchies are expanded to the leaves of the given rows.
"""

import re

import pandas as pd

LEAVES = {  # leaf -> its labels on two levels; samples lack some leaves, and those of whole groups
    "a1": ("A", "AB"), "a2": ("A", "AB"), "b1": ("B", "AB"), "b2": ("B", "AB"), "c1": ("C", "CD"), "c2": ("C", "CD"),
    "d1": ("D", "CD"), "e1": ("E", "E+"), "e2": ("E", "E+"),
}  # fmt: skip
ROWS = [(leaf, *above) for leaf, above in LEAVES.items()]
NUMBER = r"(-?\d+(?:\.\d+)?)"
RANGE = re.compile(rf"([\[(]){NUMBER}(?:-|\.\.| to ){NUMBER}([\])])")
OPEN = {  # ranges with one end
    rf"under {NUMBER}": float.__lt__, rf"up to {NUMBER}": float.__le__,
    rf"over {NUMBER}": float.__gt__, rf"{NUMBER} and over": float.__ge__,
}  # fmt: skip


def parts(label):
    """Return the values in the label of a set, or the single value."""
    return label[1:-1].split(", ") if label.startswith("{") else [label]


def covers(label, value):
    """Return whether a label covers a person with this value."""
    if label == "*":
        return True
    if label.endswith(" or missing"):
        return pd.isna(value) or covers(label.removesuffix(" or missing"), value)
    if pd.isna(value):
        return label == "missing"
    if isinstance(value, str):
        return any(value == one or one in LEAVES.get(value, ()) for one in parts(label))
    for pattern, holds in OPEN.items():
        if found := re.fullmatch(pattern, label):
            return holds(float(value), float(found[1]))
    found = RANGE.fullmatch(label)
    if not found:
        return label == f"{value:g}"
    low, high = float(found[2]), float(found[3])
    return (low < value or (found[1] == "[" and low == value)) and (value < high or (found[4] == "]" and value == high))


def people_of(release, everybody):
    """Return the rows of the population that each distinct row of labels covers, with its number of records."""
    quasi = [*release.table.quasi]
    found = {}
    for labels, records in release.frame().astype(str).groupby(quasi, sort=False):
        mask = [
            all(covers(label, value) for label, value in zip(labels, person, strict=True))
            for person in everybody[quasi].astype(object).itertuples(index=False, name=None)
        ]
        found[labels] = (len(records), [i for i, fits in enumerate(mask) if fits])
    return found


def by_class(release, found):
    """Return the covered people by class."""
    labels = zip(*(map(str, release.class_labels(name)) for name in release.table.quasi), strict=True)
    return [found[row] for row in labels]


def presence(found, people):
    """Return the probability that each person is in the table: a label's records are shared by all covered people."""
    share = [0.0] * people
    for records, covered in found:
        for person in covered:
            share[person] += records / len(covered)
    return [min(one, 1.0) for one in share]
