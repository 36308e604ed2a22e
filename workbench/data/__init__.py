"""Microdata as integer codes with roles and hierarchies."""
