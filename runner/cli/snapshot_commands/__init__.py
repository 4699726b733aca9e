"""The commands of `python -m runner snapshot`, one a file, and how a difference is shown."""
