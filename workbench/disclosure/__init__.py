"""Who is exposed by a release, and why."""
