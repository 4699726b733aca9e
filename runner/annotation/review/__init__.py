"""A person judges what waits: one thing at a time, saved after every answer."""
