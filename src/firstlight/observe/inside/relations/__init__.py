"""Relations between examples, and between examples and their answers. Pure functions of tensors that were kept."""
