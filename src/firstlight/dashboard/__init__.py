"""`firstlight serve`: all runs below a folder in the browser, the ones that are still going as they go. Read-only."""
