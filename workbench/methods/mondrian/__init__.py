"""Mondrian: the splitting of classes, and the splitters that propose cuts."""
