"""``spielbaum reversixt``: play ReversiXT over the network, by the protocol of the course."""
