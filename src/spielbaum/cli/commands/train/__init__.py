"""``spielbaum train``: train a network by self-play, in as many sittings as it takes."""
