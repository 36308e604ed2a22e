"""The line above all."""
