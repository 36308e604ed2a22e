"""The microdata as integer codes with roles and hierarchies."""
