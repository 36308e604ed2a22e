"""Clustering methods: classes grow around records, and may overlap."""
