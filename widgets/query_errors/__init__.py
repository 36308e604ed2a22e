"""How wrong a release's answers to queries are, and which classes the worst queries cut."""
