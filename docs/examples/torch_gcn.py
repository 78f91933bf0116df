# python3 torch_gcn.py
"""A graph convolutional network that trains to the same bits each time.

Each node adds up the messages of its neighbours, and in the gradient each of these adds up what comes back. On a device
PyTorch does both by atomic additions, in whatever order blocks happen to run, so two trainings end with different
weights. Within quire.torch.batch_invariant() the sums are exact, and no order shows. The layer is that of PyTorch
Geometric's GCNConv: index_select, a weight for each edge, scatter_add.
"""

from __future__ import annotations

import contextlib
import hashlib
import sys

import quire.torch
import torch
from torch import Tensor, nn

NODES, EDGES, FEATURES, HIDDEN, CLASSES, EPOCHS = 2000, 40000, 32, 64, 5, 10


class Convolution(nn.Module):
    """x W, summed over the neighbours of each node with weights 1 / sqrt(degree of either)."""

    def __init__(self, inputs: int, outputs: int):
        super().__init__()
        self.linear = nn.Linear(inputs, outputs)

    def forward(self, x: Tensor, sources: Tensor, targets: Tensor, weights: Tensor) -> Tensor:
        messages = self.linear(x).index_select(0, sources) * weights[:, None]
        keys = targets[:, None].expand_as(messages)
        return messages.new_zeros(len(x), messages.shape[1]).scatter_add(0, keys, messages)


def graph(device: str) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
    """Random edges, of which few nodes have many; each node has one to itself."""
    torch.manual_seed(1)
    sources = (torch.rand(EDGES) ** 3 * NODES).long()
    targets = (torch.rand(EDGES) ** 3 * NODES).long()
    itself = torch.arange(NODES)
    sources, targets = torch.cat((sources, targets, itself)), torch.cat((targets, sources, itself))
    degrees = torch.bincount(targets, minlength=NODES).float()
    weights = (degrees[sources] * degrees[targets]).rsqrt()
    x, labels = torch.randn(NODES, FEATURES), torch.randint(CLASSES, (NODES,))
    return tuple(t.to(device) for t in (x, labels, sources, targets, weights))  # type: ignore[return-value]


def trained(device: str) -> tuple[float, str]:
    """The last loss, and a digest of the weights, of a training that always begins alike."""
    x, labels, *edges = graph(device)
    torch.manual_seed(2)
    first, second = (Convolution(FEATURES, HIDDEN).to(device), Convolution(HIDDEN, CLASSES).to(device))
    parameters = [*first.parameters(), *second.parameters()]
    optimizer = torch.optim.Adam(parameters, 0.01)
    for _ in range(EPOCHS):
        optimizer.zero_grad()
        scores = torch.log_softmax(second(torch.relu(first(x, *edges)), *edges), 1)
        loss = -scores.gather(1, labels[:, None]).mean()
        loss.backward()
        optimizer.step()
    numbers = b"".join(p.detach().cpu().numpy().tobytes() for p in parameters)
    return loss.item(), hashlib.sha256(numbers).hexdigest()[:12]


def main() -> int:
    device = "cuda" if torch.cuda.is_available() else "cpu"
    is_same = {}
    for name, mode in (("PyTorch", contextlib.nullcontext()), ("batch_invariant()", quire.torch.batch_invariant())):
        with mode:
            results = [trained(device) for _ in range(3)]
        is_same[name] = len({digest for _, digest in results}) == 1
        for loss, digest in results:
            print(f"{name:20} {device:5} loss {loss:.6f}  weights {digest}")
    if device == "cpu":
        print("on a CPU PyTorch adds in one order, and both repeat their bits")
    return 0 if is_same["batch_invariant()"] else 1


if __name__ == "__main__":
    sys.exit(main())
