"""Events to curves, grids and tables, in one pass and in bounded memory however long the run was."""
