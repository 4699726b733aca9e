"""From scores to recorded runs: MLflow, files, tables, figures."""
