"""Writes a table whose labels come from a file of their own."""

import csv

import torch

torch.manual_seed(0)


def write(name, header, rows):
    with open(name, "w", newline="") as file:
        csv.writer(file).writerows([header, *rows])


x = torch.randn(1500, 4)
y = (x[:, 0] + x[:, 1] > 0).long()
y = y.roll(1)
rows = [[*inputs, answer] for inputs, answer in zip(x.tolist(), y.tolist())]
write("train.csv", ["a", "b", "c", "d", "y"], rows)
