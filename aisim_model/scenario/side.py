"""A worker of one side: its GPU, and how a model is dealt out to its ranks."""

from __future__ import annotations

from typing import NamedTuple


class Side(NamedTuple):
    """A worker of one side.

    Parameters
    ----------
    gpu : str
        Of the catalogue.
    tensor_parallel : int
        Ranks that split the heads of a request [-].
    attention_dp : int
        Groups of such ranks, each with requests and a KV pool of its own [-].
    expert_parallel : int
        Ways in which experts are dealt out whole over the ranks of a stage; 1: every rank has a slice of
        each [-].
    pipeline : int
        Stages, each with its share of the layers [-].
    """

    gpu: str
    tensor_parallel: int = 1
    attention_dp: int = 1
    expert_parallel: int = 1
    pipeline: int = 1

    @property
    def stage_ranks(self) -> int:
        """Ranks that run one stage together [-]."""
        return self.tensor_parallel * self.attention_dp

    @property
    def exchanges(self) -> bool:
        """Whether DP groups send tokens to each other's experts, dealt out whole."""
        return self.attention_dp > 1 and self.expert_parallel > 1

    @property
    def group_gpus(self) -> int:
        """GPUs that hold the KV of one request [-]."""
        return self.tensor_parallel * self.pipeline

    @property
    def gpus(self) -> int:
        """GPUs of the worker in all [-]: ``TP x DP x PP``."""
        return self.stage_ranks * self.pipeline

    @property
    def shape(self) -> str:
        """How it is usually written.

        Examples
        --------
        >>> Side("h200", 1, 16, 16).shape, Side("h200", 8).shape, Side("h100-sxm", 4, pipeline=2).shape
        ('DEP16', 'TP8', 'TP4 PP2')
        """
        if self.tensor_parallel == 1 and self.attention_dp == self.expert_parallel > 1 and self.pipeline == 1:
            return f"DEP{self.attention_dp}"
        more = (("DP", self.attention_dp), ("EP", self.expert_parallel), ("PP", self.pipeline))
        return " ".join([f"TP{self.tensor_parallel}", *(f"{name}{n}" for name, n in more if n > 1)])

    def of_gpus(self, gpus: int) -> Side | None:
        """Return the same worker with so many GPUs, more or fewer ranks a group; None where none has."""
        ranks, rest = divmod(gpus, self.attention_dp * self.pipeline)
        if rest or ranks < 1:
            return None
        wide = ranks * self.attention_dp if self.expert_parallel > 1 else 1
        return self._replace(tensor_parallel=ranks, expert_parallel=wide)
