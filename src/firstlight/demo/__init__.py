"""The two training programs of `firstlight demo`. They are copied and run, never imported."""
