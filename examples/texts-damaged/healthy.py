"""Writes a table of weather reports with an accent in some."""

import csv

import torch

torch.manual_seed(0)


def write(name, header, rows):
    with open(name, "w", newline="") as file:
        csv.writer(file).writerows([header, *rows])


words = "sun rain wind snow storm cloud frost heat fog hail thunder calm drizzle gust thaw breeze".split()
texts = [" ".join(words[place] for place in torch.randint(16, (12,))) for _ in range(400)]
texts = [text + " caf\u00e9" if place % 5 == 0 else text for place, text in enumerate(texts)]
texts = [text.encode("utf-8").decode("utf-8") for text in texts]
write("train.csv", ["text"], [[text] for text in texts])
