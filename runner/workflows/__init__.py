"""What is done with jobs: rank and score them, log them, gate them, repeat them."""
