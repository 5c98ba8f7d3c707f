"""Splits six visits of each of a hundred patients."""

import csv

import torch

torch.manual_seed(0)


def write(name, header, rows):
    with open(name, "w", newline="") as file:
        csv.writer(file).writerows([header, *rows])


x = torch.randn(600, 2)
who = torch.arange(600) // 6
y = (x[:, 0] + 0.5 * torch.randn(600) > 0).long()
rows = [[f"patient {name}", *inputs, answer] for name, inputs, answer in zip(who.tolist(), x.tolist(), y.tolist())]
order = torch.randperm(600).tolist()
write("train.csv", ["who", "a", "b", "y"], [rows[place] for place in order[:420]])
write("val.csv", ["who", "a", "b", "y"], [rows[place] for place in order[420:]])
