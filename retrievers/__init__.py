"""How to rank: text and arrays in, rankings out. Knows nothing of experiments, Hydra or MLflow."""
