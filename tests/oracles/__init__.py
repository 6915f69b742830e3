"""Independent references: slow, plain, and sharing no code with the package under test.

Every oracle has the same small face: `to_move`, `legal()`, `play(action)`, `over()`, `rewards()`
(None while the game runs) and `cells()` (0 for empty, p + 1 for a stone of player p, in the
package's numbering of cells).
"""
