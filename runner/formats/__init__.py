"""Reading and writing text, JSON and YAML strictly."""
