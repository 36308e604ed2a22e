"""Foundations: errors, declared parameters, formatted numbers, files, compiled kernels."""
