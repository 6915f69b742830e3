"""The methods of training, one folder each with its configurations."""
