"""Clusterings: classes are grown around records, and may overlap."""
