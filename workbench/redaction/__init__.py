"""Disclosure control for small counts: controlled rounding, and audits of all counts that are published jointly."""
