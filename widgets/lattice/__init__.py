"""The lattice of levels: every full-domain generalization at once."""
