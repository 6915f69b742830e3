"""Mutation testing: changes the package in one place at a time, and sees which test notices."""
