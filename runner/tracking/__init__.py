"""MLflow: runs written, found and read back."""
