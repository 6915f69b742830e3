"""The kinds of experiments: how each is run, judged, reported and drawn."""
