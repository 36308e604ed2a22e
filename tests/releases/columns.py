"""What the released columns are called."""

PUBLISHED = ("generalized", "bucketized")


QUASI = ["whole", "word", "day"]
