"""The lattice of levels: all full-domain generalizations."""
