"""What trainings learn from: recorded games, lessons and samples."""
