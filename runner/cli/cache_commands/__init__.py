"""The commands of `python -m runner cache`, one a file."""
