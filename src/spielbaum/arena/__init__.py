"""The arena: matches and tournaments between agents, and statistics that can be trusted."""
