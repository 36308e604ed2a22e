"""The names of released columns."""

PUBLISHED = ("generalized", "bucketized")


QUASI = ["whole", "word", "day"]
