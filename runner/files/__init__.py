"""Files: read strictly, written whole or not at all."""
