"""One command per file: the function of that name, with its help and examples."""
