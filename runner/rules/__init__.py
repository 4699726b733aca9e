"""What a release must hold to."""
