import torch
import torch.nn.functional as F
import random

# hyperparameters
block_size = 3
batch_size = 64
n_embd = 12
n_hidden = 80
max_iters = 1500
eval_interval = 300
eval_iters = 20
learning_rate = 1e-2
# ------------

torch.manual_seed(42)
random.seed(torch.initial_seed())

# made-up planet names, one per line
heads = ['al', 'bel', 'cor', 'dra', 'el', 'far', 'gan', 'hes', 'ith', 'jor', 'kep', 'lu', 'mor', 'ny', 'or', 'pra', 'qua']
mids = ['a', 'ari', 'o', 'endi', 'u', 'ima', 'e', 'ono', 'ye']
tails = ['n', 'ria', 'th', 'x', 'mar', 'lon', 's', 'dia', 'vek', 'tis']
def planet():
    name = random.choice(heads)
    for _ in range(random.choice([1, 1, 2])):
        name += random.choice(mids)
        if name[-1] in 'ao' and random.random() < 0.5:
            name += random.choice('lrn')
    return name + random.choice(tails)

words = sorted({planet() for _ in range(4000)})
random.shuffle(words)
chars = ['.'] + sorted(set(''.join(words)))
stoi = {c: i for i, c in enumerate(chars)}
itos = {i: c for c, i in stoi.items()}
vocab_size = len(chars)

def build(ws):
    X, Y = [], []
    for w in ws:
        context = [0] * block_size
        for ch in w + '.':
            ix = stoi[ch]
            X.append(context)
            Y.append(ix)
            context = context[1:] + [ix]
    return torch.tensor(X), torch.tensor(Y)

n1, n2 = int(0.8 * len(words)), int(0.9 * len(words))
data = {'train': build(words[:n1]), 'val': build(words[n1:n2]), 'test': build(words[n2:])}
print(len(words), 'names,', vocab_size, 'characters,', data['train'][0].shape[0], 'training examples')

def get_batch(split):
    X, Y = data[split]
    ix = torch.randint(len(X), (batch_size,))
    return X[ix], Y[ix]

# parameters
C = torch.randn(vocab_size, n_embd)
W1 = torch.randn(block_size * n_embd, n_hidden) * (5 / 3) / (block_size * n_embd) ** 0.5
b1 = torch.zeros(n_hidden)
W2 = torch.randn(n_hidden, vocab_size) * 0.01
b2 = torch.zeros(vocab_size)
parameters = [C, W1, b1, W2, b2]
for p in parameters:
    p.requires_grad = True
print(sum(p.nelement() for p in parameters), 'parameters')

def forward(X):
    emb = C[X].view(X.shape[0], -1)
    h = torch.tanh(emb @ W1 + b1)
    return h @ W2 + b2

@torch.no_grad()
def estimate_loss():
    out = {}
    for split in ['train', 'val']:
        losses = torch.zeros(eval_iters)
        for k in range(eval_iters):
            X, Y = get_batch(split)
            losses[k] = F.cross_entropy(forward(X), Y)
        out[split] = losses.mean().item()
    return out

optimizer = torch.optim.AdamW(parameters, lr=learning_rate, weight_decay=1e-3)
for it in range(max_iters):
    if it % eval_interval == 0:
        losses = estimate_loss()
        print(f"step {it}: train loss {losses['train']:.4f}, val loss {losses['val']:.4f}")
    if it == int(max_iters * 0.7):
        for g in optimizer.param_groups:
            g['lr'] = learning_rate / 10
    xb, yb = get_batch('train')
    logits = forward(xb)
    loss = F.cross_entropy(logits, yb)
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    optimizer.step()

# some samples
for _ in range(8):
    out, context = '', [0] * block_size
    while True:
        with torch.no_grad():
            probs = F.softmax(forward(torch.tensor([context])), dim=1)
        ix = torch.multinomial(probs, 1).item()
        if ix == 0 or len(out) > 25:
            break
        out += itos[ix]
        context = context[1:] + [ix]
    print(out)

with torch.no_grad():
    Xte, Yte = data['test']
    print('test loss', F.cross_entropy(forward(Xte), Yte).item())
