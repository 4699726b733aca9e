"""From rankings to scores: metrics, slices, intervals, cost for the reader."""
