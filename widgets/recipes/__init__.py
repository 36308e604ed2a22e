"""Methods, models and measures of a study."""
