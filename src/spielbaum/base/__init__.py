"""What everything else stands on: errors, options, budgets, numbers, files and figures."""
