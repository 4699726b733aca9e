"""What became of documents and passages between two snapshots."""
