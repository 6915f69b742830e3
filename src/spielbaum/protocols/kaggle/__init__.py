"""Kaggle's ConnectX: the agent, and files to submit."""
