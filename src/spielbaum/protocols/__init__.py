"""Protocols by which other programs and Spielbaum play with each other."""
