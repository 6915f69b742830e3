"""The version, which the build and the command read here."""

VERSION = "0.1.0"
