"""Value networks that learn from the results of games between agents (S0, section 5).

`config` says what is done, `positions` makes lessons of games, `training` (PyTorch) learns them,
`architectures` looks for a good network, and `run` does it all in a folder; see
``docs/value-nets.md``.
"""
