"""Splits a year of measurements."""

import csv

import torch

torch.manual_seed(0)


def write(name, header, rows):
    with open(name, "w", newline="") as file:
        csv.writer(file).writerows([header, *rows])


x = torch.randn(600, 2)
y = (x[:, 0] + 0.5 * torch.randn(600) > 0).long()
days = [f"2024-{1 + place // 50:02}-{1 + place % 28:02}" for place in range(600)]
rows = sorted([day, *inputs, answer] for day, inputs, answer in zip(days, x.tolist(), y.tolist()))
order = torch.randperm(600).tolist()
write("train.csv", ["when", "a", "b", "y"], [rows[place] for place in order[:420]])
write("val.csv", ["when", "a", "b", "y"], [rows[place] for place in order[420:]])
