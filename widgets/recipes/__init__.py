"""Which releases are made, and how they are measured."""
