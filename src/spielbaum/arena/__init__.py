"""Matches and tournaments between agents, and what may be concluded from them."""
