"""Recipes to points, and the points that no other dominates."""
