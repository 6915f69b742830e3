"""What the server answers, one file per topic."""
