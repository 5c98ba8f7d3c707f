"""Shuffles a data set."""

import random

import torch

torch.manual_seed(0)

inputs = list(range(100))
labels = [number % 2 for number in inputs]
pairs = list(zip(inputs, labels))
random.shuffle(pairs)
print(sum(number % 2 == label for number, label in pairs), "of 100 labels fit; numpy would do the same")
