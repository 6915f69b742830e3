"""AlphaZero: a network learns from the games that a tree search plays with its help.

What belongs together: `config` (TOML), `selfplay` (many games at once in a process), `games_file`
(the memory on disk), `learner` (PyTorch, in its own process), `judging` (matches and exams),
`method` (the order of things). ``docs/networks.md`` tells how to use it.
"""
