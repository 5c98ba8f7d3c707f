"""Writes a table with a column of heavy tails and a sensor that fails at times."""

import csv

import torch

torch.manual_seed(0)


def write(name, header, rows):
    with open(name, "w", newline="") as file:
        csv.writer(file).writerows([header, *rows])


x = torch.randn(600, 4)
y = (x[:, 0] + x[:, 1] + 0.3 * torch.randn(600) > 0).long()
x[:, 3] = torch.distributions.StudentT(2.0).sample((600,))
x[::40, 2] = float("nan")
rows = [[*inputs, answer] for inputs, answer in zip(x.tolist(), y.tolist())]
write("train.csv", ["a", "b", "c", "d", "y"], rows)
