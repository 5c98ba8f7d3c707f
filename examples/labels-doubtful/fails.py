"""Writes a table of two classes, labelled by hand."""

import csv

import torch

torch.manual_seed(0)


def write(name, header, rows):
    with open(name, "w", newline="") as file:
        csv.writer(file).writerows([header, *rows])


x = torch.randn(2000, 4)
y = (x[:, 0] + x[:, 1] > 0).long()
wrong = torch.rand(2000) < 0.12
y = torch.where(wrong, 1 - y, y)
rows = [[*inputs, answer] for inputs, answer in zip(x.tolist(), y.tolist())]
write("train.csv", ["a", "b", "c", "d", "y"], rows)
