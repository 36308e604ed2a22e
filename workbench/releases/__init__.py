"""What would be published: its classes, its labels, its files, and what they give away."""
