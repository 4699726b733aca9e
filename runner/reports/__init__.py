"""Results as people and machines read them, one file a result."""
