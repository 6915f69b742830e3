"""Trained agents as files: what plays with them, and never trains."""
