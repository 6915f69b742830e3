"""The command ``spielbaum``: one module per command, put together in `spielbaum.cli.main`."""
