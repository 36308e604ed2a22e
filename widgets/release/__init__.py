"""This release, under sliders."""
