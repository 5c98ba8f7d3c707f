import torch
import torch.nn.functional as F

torch.manual_seed(21)

INNER_LR = 0.02
INNER_STEPS = 2
META_BATCH = 5
META_ITERS = 700
K_SHOT = 10
HIDDEN = 40


def sample_tasks(n):
    amp = torch.rand(n, 1, 1) * 4.9 + 0.1
    phase = torch.rand(n, 1, 1) * torch.pi
    return amp, phase


def sample_points(tasks, k):
    amp, phase = tasks
    x = torch.rand(amp.shape[0], k, 1) * 10 - 5
    return x, amp * torch.sin(x - phase)


def init_params():
    sizes = [(1, HIDDEN), (HIDDEN, HIDDEN), (HIDDEN, 1)]
    params = []
    for fan_in, fan_out in sizes:
        bound = (6 / fan_in) ** 0.5 if fan_in > 1 else 1.0
        params.append((torch.rand(fan_in, fan_out) * 2 - 1).mul_(bound).requires_grad_())
        params.append((torch.rand(fan_out) * 2 - 1).requires_grad_() if fan_in == 1 else torch.zeros(fan_out, requires_grad=True))
    return params


def forward(params, x):
    w1, b1, w2, b2, w3, b3 = params
    # every tensor carries a leading task axis, so one pass serves the whole meta-batch
    h = torch.relu(x @ w1 + b1.unsqueeze(-2))
    h = torch.relu(h @ w2 + b2.unsqueeze(-2))
    return h @ w3 + b3.unsqueeze(-2)


def adapt(params, x, y, steps, create_graph):
    fast = [p.expand(x.shape[0], *p.shape) for p in params]
    for _ in range(steps):
        # summed over tasks: the copies are independent, each gets the gradient of its own mean
        loss = F.mse_loss(forward(fast, x), y, reduction="none").mean(dim=(1, 2)).sum()
        grads = torch.autograd.grad(loss, fast, create_graph=create_graph)
        fast = [p - INNER_LR * g for p, g in zip(fast, grads)]
    return fast


def meta_test(params, n_tasks=200, steps=5):
    tasks = sample_tasks(n_tasks)
    xs, ys = sample_points(tasks, K_SHOT)
    xq, yq = sample_points(tasks, 50)
    before = F.mse_loss(forward([p.expand(n_tasks, *p.shape) for p in params], xq), yq).item()
    fast = adapt(params, xs, ys, steps, create_graph=False)
    after = F.mse_loss(forward(fast, xq), yq).item()
    return before, after


params = init_params()
meta_opt = torch.optim.Adam(params, lr=3e-3)
schedule = torch.optim.lr_scheduler.MultiStepLR(meta_opt, milestones=[450, 600], gamma=0.3)

avg = None
for it in range(1, META_ITERS + 1):
    tasks = sample_tasks(META_BATCH)
    x_support, y_support = sample_points(tasks, K_SHOT)
    x_query, y_query = sample_points(tasks, K_SHOT)

    fast = adapt(params, x_support, y_support, INNER_STEPS, create_graph=True)
    meta_loss = F.mse_loss(forward(fast, x_query), y_query)

    meta_opt.zero_grad()
    meta_loss.backward()
    torch.nn.utils.clip_grad_norm_(params, 10.0)
    meta_opt.step()
    schedule.step()

    avg = meta_loss.item() if avg is None else 0.95 * avg + 0.05 * meta_loss.item()
    if it % 100 == 0:
        print(f"iter {it:4d} | query loss (avg) {avg:.3f}")

before, after = meta_test(params)
print(f"new tasks, before adaptation: {before:.3f}")
print(f"new tasks, after 5 gradient steps: {after:.3f}")
