"""What is worth judging next, from runs and from click logs; a list for people, never a relevance."""
