"""Original beside release: how a column, or two, are distributed before and after."""
