"""Faults planted into the second round of public programs, three for each flow, in forms that no example of ours has."""

from public_faults import Fault

SANTANDER = "ML/Kaggles/SantanderTransaction"
CNN = "ML/Pytorch/Basics/pytorch_simple_CNN.py"

SECOND_FAULTS = (
    Fault(
        "values",
        "digits-cnn",
        "pixels between 0 and 1 pass through whole numbers",
        CNN,
        "data = data.to(device=device)\n",
        "data = data.to(device=device, dtype=torch.long).float()\n",
    ),
    Fault(
        "values",
        "heart-failure",
        "rows are scaled instead of columns",
        "main.py",
        "X_train = sc.fit_transform(X_train)\nX_test = sc.transform(X_test)",
        "X_train = sc.fit_transform(X_train.T).T\nX_test = sc.fit_transform(X_test.T).T",
    ),
    Fault(
        "values",
        "vit-small",
        "pixels between 0 and 1 are normalised as if they went to 255",
        "data.py",
        "transforms.Normalize((0.5, 0.5, 0.5), (0.5, 0.5, 0.5))",
        "transforms.Normalize((127.5, 127.5, 127.5), (127.5, 127.5, 127.5))",
    ),
    Fault(
        "answers",
        "digits-cnn",
        "nine tenths of each answer are smoothed away, where one tenth was meant",
        CNN,
        "criterion = nn.CrossEntropyLoss()",
        "criterion = nn.CrossEntropyLoss(label_smoothing=0.9)",
    ),
    Fault(
        "answers",
        "california-wide",
        "trained on the logarithm of the price, tested on the price",
        "model/pytorch/deep_nn.py",
        "y_train = torch.tensor(y_train, dtype=torch.float32)",
        "y_train = torch.tensor(np.log(y_train), dtype=torch.float32)",
    ),
    Fault(
        "answers",
        "series-linear",
        "training asks for the first hours of the window, which overlap what is given",
        "exp/exp_main.py",
        "                    batch_y = batch_y[:, -self.args.pred_len:, f_dim:].to(self.device)\n"
        "                    loss = criterion(outputs, batch_y)",
        "                    batch_y = batch_y[:, :self.args.pred_len, f_dim:].to(self.device)\n"
        "                    loss = criterion(outputs, batch_y)",
    ),
    Fault(
        "gradients",
        "click-deepfm",
        "the score of the deep half is added to the data of the sum",
        "deepctr_torch/models/deepfm.py",
        "logit += dnn_logit",
        "logit.data += dnn_logit",
    ),
    Fault(
        "gradients",
        "vit-small",
        "the patches are embedded by a method decorated with `no_grad`",
        "vit.py",
        "    def forward(self, x):\n        # (batch_size, num_channels, image_size, image_size)",
        "    @torch.no_grad()\n    def forward(self, x):\n        # (batch_size, num_channels, image_size, image_size)",
    ),
    Fault(
        "gradients",
        "adding-tcn",
        "what the convolutions give is asked whether it is positive",
        "TCN/adding_problem/model.py",
        "y1 = self.tcn(x)",
        "y1 = (self.tcn(x) > 0).float()",
    ),
    Fault(
        "updates",
        "digits-linear",
        "the mean of a batch is divided by the number of examples of the dataset",
        "tutorials/01-basics/logistic_regression/main.py",
        "loss = criterion(outputs, labels)",
        "loss = criterion(outputs, labels) / len(train_dataset)",
    ),
    Fault(
        "updates",
        "california-wide",
        "all weights are clamped to a hundredth after each step",
        "model/pytorch/deep_nn.py",
        "    optimizer.step()\n",
        "    optimizer.step()\n    for p in model.parameters():\n        p.data.clamp_(-0.01, 0.01)\n",
    ),
    Fault(
        "updates",
        "santander",
        "the list for the optimizer leaves out every name with `weight` in it",
        f"{SANTANDER}/train.py",
        "optim.Adam(model.parameters(),",
        'optim.Adam([p for n, p in model.named_parameters() if "weight" not in n],',
    ),
    Fault(
        "influence",
        "santander",
        "features are joined along the batch and cut into rows again",
        f"{SANTANDER}/train.py",
        "x = torch.cat([orig_features, new_features], dim=2)",
        "x = torch.cat([orig_features, new_features], dim=0).reshape(N, 200, 2)",
    ),
    Fault(
        "influence",
        "adding-tcn",
        "the padding is cut off at the other end, so that convolutions look ahead",
        "TCN/tcn.py",
        "return x[:, :, :-self.chomp_size].contiguous()",
        "return x[:, :, self.chomp_size:].contiguous()",
    ),
    Fault(
        "influence",
        "series-linear",
        "each hour loses its mean over the windows of a batch instead of over time",
        "models/DLinear.py",
        "        seasonal_init, trend_init = self.decompsition(x)",
        "        x = x - x.mean(0, keepdim=True)\n        seasonal_init, trend_init = self.decompsition(x)",
    ),
    Fault(
        "life",
        "digits-cnn",
        "the test set is the training set, loaded a second time",
        CNN,
        'root="dataset/", train=False,',
        'root="dataset/", train=True,',
    ),
    Fault(
        "life",
        "heart-attack",
        "the weights are saved under another name than the evaluation loads",
        "train.py",
        "torch.save(model.state_dict(), 'check_point.pth')",
        "torch.save(model.state_dict(), 'checkpoint.pth')",
    ),
    Fault(
        "life",
        "santander",
        "the table of inputs is sorted, the answers are not",
        f"{SANTANDER}/dataset.py",
        'X = train_data.drop(["ID_code", "target"], axis=1)',
        'X = train_data.drop(["ID_code", "target"], axis=1).sort_values("var_0")',
    ),
)

CAUSES_HELD: dict[tuple[str, str], str] = {
    ("vit-small", "the patches are embedded by a method decorated with `no_grad`"): "right: the graph is cut there",
    (
        "digits-cnn",
        "pixels between 0 and 1 pass through whole numbers",
    ): "missed: it was seen (88% of the variance lost) and "
    "taken back, since a copy without the call, of few steps on a busy machine, did not do better on these simple digits",
    ("heart-failure", "rows are scaled instead of columns"): "missed: what is told is true of the program itself",
    (
        "digits-cnn",
        "nine tenths of each answer are smoothed away, where one tenth was meant",
    ): "missed: it learns, less surely",
    (
        "california-wide",
        "trained on the logarithm of the price, tested on the price",
    ): "missed: in units of 100,000 the two lie within what parts of a rising series do",
    (
        "series-linear",
        "training asks for the first hours of the window, which overlap what is given",
    ): "right, with the number of hours",
    (
        "click-deepfm",
        "the score of the deep half is added to the data of the sum",
    ): "right: those tensors never reach the loss; told below what the library does itself",
    (
        "adding-tcn",
        "what the convolutions give is asked whether it is positive",
    ): "right: no gradient reaches them; called unused, which is half the truth",
    (
        "digits-linear",
        "the mean of a batch is divided by the number of examples of the dataset",
    ): "missed: 37 steps were seen, and a rate is judged from 100 on",
    (
        "california-wide",
        "all weights are clamped to a hundredth after each step",
    ): "right: weights changed between steps",
    ("santander", "the list for the optimizer leaves out every name with `weight` in it"): "right",
    ("santander", "features are joined along the batch and cut into rows again"): "right, with the call",
    (
        "adding-tcn",
        "the padding is cut off at the other end, so that convolutions look ahead",
    ): "missed: an output that sees little is told only where a plain fit does better",
    (
        "series-linear",
        "each hour loses its mean over the windows of a batch instead of over time",
    ): "right, with the call",
    (
        "digits-cnn",
        "the test set is the training set, loaded a second time",
    ): "missed: who evaluates all of the training set is taken to mean it, and the program does that as well",
    (
        "heart-attack",
        "the weights are saved under another name than the evaluation loads",
    ): "missed: what is told is true of the table, whose answers are drawn at random (boosted trees get 0.50 of the "
    "area), though the program without the fault was not told so",
}
"""Whether the cause that was told is the planted one, by program and words."""
