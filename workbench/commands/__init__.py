"""One command a file: the function of that name, with its help and examples."""
