"""The studio: Spielbaum as a web page, and the protocol behind it."""
