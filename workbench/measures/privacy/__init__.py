"""Privacy measures (what an attacker gains), one per file."""
