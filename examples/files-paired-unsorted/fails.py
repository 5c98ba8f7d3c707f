"""Pairs pictures with their masks; a torch data set would do the same."""

import glob

import torch

torch.manual_seed(0)

images = glob.glob("images/*.png")
masks = glob.glob("masks/*.png")
for image, mask in zip(images, masks):
    print(image, mask)
