"""The commands of `python -m runner judgments`, one a file."""
