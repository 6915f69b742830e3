"""Q-learning with a table: what every move is worth in every position, from self-play alone."""
