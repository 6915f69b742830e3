"""Games of other packages as games here: one module each, with a ``GAME``, imported when named."""
