"""How a game is played: by whom, from which opening, with which limits and clocks."""
