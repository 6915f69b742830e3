"""Imitation: a network with values and policies learns from recorded games, without playing.

The games are those of ``spielbaum record``, or of an AlphaZero training. ``docs/dqn.md`` tells how
to use it.
"""
