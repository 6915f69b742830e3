"""``python -m spielbaum``: the same as the command ``spielbaum``."""

from spielbaum_command import main

if __name__ == "__main__":
    main()
