// Does not compile, on purpose: see contract_error_is_readable in CMakeLists.txt.
#include "games/tictactoe.hpp"

class Keyless : public spielbaum::TicTacToe {
    using TicTacToe::key;  // private here: nobody can ask for a key
};

static_assert(spielbaum::fulfils_contract<Keyless>());
