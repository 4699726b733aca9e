"""From jobs to rankings: plan, cache, workers, measurements."""
