"""The dashboard for decision makers."""
