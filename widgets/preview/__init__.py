"""Preview and export."""
