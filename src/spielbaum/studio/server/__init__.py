"""The web server: who may ask, how much, and what a mistake answers."""
