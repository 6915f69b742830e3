"""File formats of game records: each module has a `FORMAT`, and is found by being there."""
