import argparse

import numpy as np
import torch
import torch.nn as nn
from torch.distributions.normal import Normal

from env import PointMassVec


def layer_init(layer, std=np.sqrt(2), bias_const=0.0):
    nn.init.orthogonal_(layer.weight, std)
    nn.init.constant_(layer.bias, bias_const)
    return layer


class Agent(nn.Module):
    def __init__(self, obs_dim, act_dim):
        super().__init__()
        self.critic = nn.Sequential(
            layer_init(nn.Linear(obs_dim, 64)), nn.Tanh(),
            layer_init(nn.Linear(64, 64)), nn.Tanh(),
            layer_init(nn.Linear(64, 1), std=1.0),
        )
        self.actor_mean = nn.Sequential(
            layer_init(nn.Linear(obs_dim, 64)), nn.Tanh(),
            layer_init(nn.Linear(64, 64)), nn.Tanh(),
            layer_init(nn.Linear(64, act_dim), std=0.01),
        )
        self.actor_logstd = nn.Parameter(torch.full((1, act_dim), -0.5))

    def get_value(self, x):
        return self.critic(x).squeeze(-1)

    def get_action_and_value(self, x, action=None):
        mean = self.actor_mean(x)
        probs = Normal(mean, self.actor_logstd.exp().expand_as(mean))
        if action is None:
            action = probs.sample()
        return action, probs.log_prob(action).sum(1), probs.entropy().sum(1), self.get_value(x)


def evaluate(agent, n, seed):
    env = PointMassVec(n, seed=seed)
    obs, done, total = env.reset(), False, np.zeros(n)
    while not done:
        with torch.no_grad():
            action = agent.actor_mean(torch.from_numpy(obs))
        obs, reward, done, _ = env.step(action.numpy())
        total += reward
    return total.mean()


def parse_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--num-envs", type=int, default=32)
    parser.add_argument("--num-steps", type=int, default=40)
    parser.add_argument("--num-iterations", type=int, default=30)
    parser.add_argument("--update-epochs", type=int, default=4)
    parser.add_argument("--num-minibatches", type=int, default=4)
    parser.add_argument("--learning-rate", type=float, default=2e-3)
    parser.add_argument("--gamma", type=float, default=0.95)
    parser.add_argument("--gae-lambda", type=float, default=0.95)
    parser.add_argument("--clip-coef", type=float, default=0.2)
    parser.add_argument("--vf-coef", type=float, default=0.5)
    parser.add_argument("--ent-coef", type=float, default=0.0)
    parser.add_argument("--max-grad-norm", type=float, default=0.5)
    return parser.parse_args()


if __name__ == "__main__":
    args = parse_args()
    torch.manual_seed(args.seed)
    envs = PointMassVec(args.num_envs, horizon=args.num_steps, seed=args.seed)
    agent = Agent(envs.obs_dim, envs.act_dim)
    optimizer = torch.optim.Adam(agent.parameters(), lr=args.learning_rate, eps=1e-5)

    T, N = args.num_steps, args.num_envs
    obs = torch.zeros(T, N, envs.obs_dim)
    actions = torch.zeros(T, N, envs.act_dim)
    logprobs, rewards, values = torch.zeros(T, N), torch.zeros(T, N), torch.zeros(T, N)
    print(f"before training: eval return {evaluate(agent, 100, 999):.3f}")

    next_obs = torch.from_numpy(envs.reset())
    for iteration in range(1, args.num_iterations + 1):
        optimizer.param_groups[0]["lr"] = (1.0 - (iteration - 1.0) / args.num_iterations) * args.learning_rate
        for t in range(T):
            obs[t] = next_obs
            with torch.no_grad():
                actions[t], logprobs[t], _, values[t] = agent.get_action_and_value(next_obs)
            o, r, done, final_obs = envs.step(actions[t].numpy())
            rewards[t] = torch.from_numpy(r)
            next_obs = torch.from_numpy(o)

        # a rollout is exactly one episode, cut by the time limit: bootstrap from the last observation
        with torch.no_grad():
            next_value = agent.get_value(torch.from_numpy(final_obs))
        advantages = torch.zeros(T, N)
        lastgaelam = torch.zeros(N)
        for t in reversed(range(T)):
            delta = rewards[t] + args.gamma * next_value - values[t]
            advantages[t] = lastgaelam = delta + args.gamma * args.gae_lambda * lastgaelam
            next_value = values[t]
        returns = advantages + values

        b_obs, b_actions = obs.flatten(0, 1), actions.flatten(0, 1)
        b_logprobs, b_adv, b_returns = logprobs.flatten(), advantages.flatten(), returns.flatten()
        clipfracs = []
        for _ in range(args.update_epochs):
            for mb in torch.randperm(T * N).chunk(args.num_minibatches):
                _, newlogprob, entropy, newvalue = agent.get_action_and_value(b_obs[mb], b_actions[mb])
                ratio = (newlogprob - b_logprobs[mb]).exp()
                clipfracs.append(((ratio - 1.0).abs() > args.clip_coef).float().mean().item())
                adv = (b_adv[mb] - b_adv[mb].mean()) / (b_adv[mb].std() + 1e-8)
                pg_loss = torch.max(-adv * ratio, -adv * ratio.clamp(1 - args.clip_coef, 1 + args.clip_coef)).mean()
                v_loss = 0.5 * ((newvalue - b_returns[mb]) ** 2).mean()
                loss = pg_loss - args.ent_coef * entropy.mean() + args.vf_coef * v_loss
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(agent.parameters(), args.max_grad_norm)
                optimizer.step()
        if iteration % 5 == 0:
            print(f"iteration {iteration}: episodic_return={rewards.sum(0).mean():.3f} v_loss={v_loss.item():.3f} clipfrac={np.mean(clipfracs):.3f}")

    print(f"after training: eval return {evaluate(agent, 300, 999):.3f}")
