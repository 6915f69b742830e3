"""``python -m spielbaum``: the same as the command ``spielbaum``."""

from spielbaum.cli.app import main

if __name__ == "__main__":
    main()
