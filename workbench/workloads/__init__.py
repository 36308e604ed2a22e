"""What is asked of many: large populations."""
