"""What was decided about the judgments of a suite, and the suite's own files that follow from it."""
