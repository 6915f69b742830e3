"""Programs of others that play, by their protocols."""
