"""Questions put to a program by running copies of it: one module for each verb."""
