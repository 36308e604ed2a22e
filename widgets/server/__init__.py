"""A restricted Voila server."""
