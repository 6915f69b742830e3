"""Expert Iteration: an n-tuple network learns what alpha-beta with that network finds."""
