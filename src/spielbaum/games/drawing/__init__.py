"""How positions look: as text and as SVG, one small file for each game."""
