"""One analyst's work on one study."""
