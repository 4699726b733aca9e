"""The experiment: from documents to a recorded, comparable, repeatable run."""
