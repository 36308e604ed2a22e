"""Parameters of variants, as people choose them."""
