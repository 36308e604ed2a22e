"""Full-domain generalization: the lattice of levels, the scores of its nodes, and methods that choose nodes."""
