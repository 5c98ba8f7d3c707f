"""Faults planted into public programs, three or more for each flow, in forms that none of our examples has."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Fault:
    flow: str
    program: str
    words: str
    file: str
    """In the repository."""
    old: str
    new: str


FAULTS = (
    Fault(
        "answers",
        "makemore-transformer",
        "each letter is asked for at its own place, not before it",
        "makemore.py",
        "y[:len(ix)] = ix",
        "y[1:1+len(ix)] = ix",
    ),
    Fault(
        "answers",
        "mnist-cnn",
        "training counts the classes from another one on than the test does",
        "mnist/main.py",
        "loss = F.nll_loss(output, target)",
        "loss = F.nll_loss(output, (target + 1) % 10)",
    ),
    Fault(
        "answers",
        "graph-convolution",
        "nodes of the training part meet the answers of other nodes",
        "pygcn/train.py",
        "loss_train = F.nll_loss(output[idx_train], labels[idx_train])",
        "loss_train = F.nll_loss(output[idx_train], labels[idx_val][:len(idx_train)])",
    ),
    Fault(
        "answers",
        "titanic",
        "the answers are sorted on their way into a tensor",
        "week3/pytorch-titanic/data_loader.py",
        "torch.tensor(y_train.values,",
        "torch.tensor(y_train.sort_values().values,",
    ),
    Fault(
        "answers",
        "california",
        "the answers of a batch meet its predictions in reverse order",
        "california_regression.py",
        "loss = criterion(pred, yb)",
        "loss = criterion(pred, yb.flip(0))",
    ),
    Fault(
        "gradients",
        "nanogpt",
        "what the second half of each block adds is detached",
        "model.py",
        "x = x + self.mlp(self.ln_2(x))",
        "x = x + self.mlp(self.ln_2(x)).detach()",
    ),
    Fault(
        "gradients",
        "vae",
        "the mean of the code reaches the decoder without its gradient",
        "vae/main.py",
        "return mu + eps*std",
        "return mu.detach() + eps*std.detach()",
    ),
    Fault(
        "gradients",
        "graph-convolution",
        "the first layer's output goes through numpy",
        "pygcn/models.py",
        "x = F.relu(self.gc1(x, adj))",
        "x = x.new_tensor(F.relu(self.gc1(x, adj)).tolist())",
    ),
    Fault(
        "gradients",
        "titanic",
        "a layer is applied by hand with the data of its weights",
        "week3/pytorch-titanic/model.py",
        "x = self.hidden_layer_1(x)",
        "x = F.linear(x, self.hidden_layer_1.weight.data, self.hidden_layer_1.bias.data)",
    ),
    Fault(
        "updates",
        "mnist-cnn",
        "the optimizer holds the first layer alone",
        "mnist/main.py",
        "optim.Adadelta(model.parameters()",
        "optim.Adadelta(model.conv1.parameters()",
    ),
    Fault(
        "updates",
        "makemore-transformer",
        "gradients are cleared at each step and used at every hundredth",
        "makemore.py",
        "        optimizer.step()",
        "        step % 100 or optimizer.step()",
    ),
    Fault(
        "updates",
        "mingpt-adder",
        "the weights are put back after each step",
        "mingpt/trainer.py",
        "            self.optimizer.step()",
        "            kept = [p.detach().clone() for p in model.parameters()]\n            self.optimizer.step()\n"
        "            [p.data.lerp_(old, 0.999) for p, old in zip(model.parameters(), kept)]",
    ),
    Fault(
        "updates",
        "titanic",
        "the optimizer is given the parameters of a copy of the model",
        "week3/pytorch-titanic/main.py",
        "optim.Adam(model.parameters(), lr=args.lr)",
        'optim.Adam(__import__("copy").deepcopy(model).parameters(), lr=args.lr)',
    ),
    Fault(
        "values",
        "mnist-cnn",
        "pixels are divided by a thousand times their deviation",
        "mnist/main.py",
        "transforms.Normalize((0.1307,), (0.3081,))",
        "transforms.Normalize((0.1307,), (308.1,))",
    ),
    Fault(
        "values",
        "graph-convolution",
        "all nodes are given the mean of their features",
        "pygcn/train.py",
        "adj, features, labels, idx_train, idx_val, idx_test = load_data()",
        "adj, features, labels, idx_train, idx_val, idx_test = load_data(); features = features.mean(0).repeat(len(labels), 1); adj = torch.eye(len(labels)).to_sparse()",
    ),
    Fault(
        "values",
        "vae",
        "the first layer is shifted until none of its units is ever active",
        "vae/main.py",
        "h1 = F.relu(self.fc1(x))",
        "h1 = F.relu(self.fc1(x) - 100)",
    ),
    Fault(
        "values",
        "iris",
        "measurements are rounded down to whole tens, which leaves nothing of them",
        "ebooks/2023_deep_learning_with_pytorch/code/chapter_10/10_complete.py",
        "X = torch.tensor(X.values, dtype=torch.float32)",
        "X = torch.tensor(X.values // 10, dtype=torch.float32)",
    ),
    Fault(
        "influence",
        "nanogpt",
        "attention sees later places",
        "model.py",
        "is_causal=True",
        "is_causal=False",
    ),
    Fault(
        "influence",
        "mnist-rnn",
        "the recurrent layer runs over the batch instead of the rows of an image",
        "mnist_rnn/main.py",
        "hidden_size=64, batch_first=True",
        "hidden_size=64, batch_first=False",
    ),
    Fault(
        "influence",
        "makemore-transformer",
        "the weights of attention are shared out over the batch",
        "makemore.py",
        "att = F.softmax(att, dim=-1)",
        "att = F.softmax(att, dim=0)",
    ),
    Fault(
        "influence",
        "iris",
        "hidden units compete across the flowers of a batch",
        "ebooks/2023_deep_learning_with_pytorch/code/chapter_10/10_complete.py",
        "x = self.act(self.hidden(x))",
        "x = self.act(self.hidden(x)).softmax(0)",
    ),
    Fault(
        "life",
        "mnist-cnn",
        "the test is made in train mode",
        "mnist/main.py",
        "    model.eval()",
        "    model.train()",
    ),
    Fault(
        "life",
        "graph-convolution",
        "the accuracy is that of the class with the lowest score",
        "pygcn/utils.py",
        "preds = output.max(1)[1].type_as(labels)",
        "preds = output.min(1)[1].type_as(labels)",
    ),
    Fault(
        "life",
        "word-lstm",
        "the best model is loaded, and its weights are drawn anew",
        "word_language_model/main.py",
        "        model.rnn.flatten_parameters()",
        "        model.rnn.flatten_parameters()\n        [nn.init.normal_(weight, 0, 0.1) for weight in model.parameters()]",
    ),
)
