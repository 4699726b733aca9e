"""Settings: what can be set, what it may be, and what it is called."""
