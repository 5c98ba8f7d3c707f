"""Writes a table of customers, some of whom left."""

import csv

import torch

torch.manual_seed(0)


def write(name, header, rows):
    with open(name, "w", newline="") as file:
        csv.writer(file).writerows([header, *rows])


x = torch.randn(1500, 4)
y = (x[:, 0] + 1.5 * torch.randn(1500) > 0).long()
x[:, 3] = torch.where(y == 1, 2 + torch.rand(1500), -torch.rand(1500))
rows = [[*inputs, answer] for inputs, answer in zip(x.tolist(), y.tolist())]
write("train.csv", ["a", "b", "c", "d", "y"], rows)
