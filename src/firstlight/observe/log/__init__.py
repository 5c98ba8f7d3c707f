"""Event logs, read as a stream: whatever their size, in the memory of one stretch of lines."""
