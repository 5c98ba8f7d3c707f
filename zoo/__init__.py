"""Healthy training programs, faults to plant in them, and the score of firstlight on both."""
