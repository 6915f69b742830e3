"""UCI: what GUIs of chess say, and the loop that answers them."""
