"""A game in Python that fails; importing this registers it, so only its own test does so."""

import spielbaum as sb


class Broken(sb.PythonGame):
    """Tic-tac-toe on a line, whose third position cannot be played on."""

    name = "broken"
    num_actions = 9

    def initial(self):
        return ()

    def to_move(self, moves):
        return len(moves) % 2

    def legal_moves(self, moves):
        return [each for each in range(9) if each not in moves]

    def play(self, moves, action):
        if len(moves) == 2:
            raise RuntimeError("the third move breaks it")
        return (*moves, action)

    def outcome(self, moves):
        return sb.Outcome.draw(2) if len(moves) == 9 else None

    def key(self, moves):
        return bytes(moves)


sb.register_game(Broken, replace=True)
