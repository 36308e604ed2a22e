"""Editing the parameters of methods, models and measures."""
