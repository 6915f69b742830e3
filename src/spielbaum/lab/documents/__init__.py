"""The experiments of the source documents, as values: one module for each document."""
