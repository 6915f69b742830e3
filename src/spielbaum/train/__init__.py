"""Learning: networks that are trained by self-play, and what their training needs."""
