"""Deep Q-learning: a network learns what each move is worth, from games of anybody.

What belongs together: `config` (TOML), `replay` (the memory of positions, moves and rewards),
`playing` (games of the network with itself and with others), `learner` (PyTorch), `method` (the
order of things). ``docs/dqn.md`` tells how to use it.
"""
