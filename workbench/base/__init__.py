"""What everything stands on: errors, declared parameters, words for numbers, files, compiled kernels."""
