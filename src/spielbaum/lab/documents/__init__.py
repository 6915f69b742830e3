"""The experiments of the five documents, as data."""
