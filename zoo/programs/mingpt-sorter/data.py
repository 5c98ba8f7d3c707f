import torch
from torch.utils.data import Dataset


class SortDataset(Dataset):
    """
    Input : 2 0 3 1 0 4 | 0 0 1 2 3
    Output: . . . . . 0   0 1 2 3 4      (-1 where nothing is to be predicted)
    """

    def __init__(self, split, n_examples, length=7, num_digits=8, seed=0):
        assert split in {"train", "test"}
        self.length, self.num_digits = length, num_digits
        g = torch.Generator().manual_seed(seed)
        codes = torch.randperm(num_digits**length, generator=g)
        codes = codes[:n_examples] if split == "train" else codes[-n_examples:]
        powers = num_digits ** torch.arange(length)
        self.data = (codes[:, None] // powers) % num_digits

    def __len__(self):
        return len(self.data)

    def get_block_size(self):
        return self.length * 2 - 1

    def __getitem__(self, i):
        inp = self.data[i]
        cat = torch.cat((inp, inp.sort().values))
        x = cat[:-1].clone()
        y = cat[1:].clone()
        y[: self.length - 1] = -1
        return x, y
