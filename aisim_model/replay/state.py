"""What the compiled loops pass around."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from aisim_model.replay.compiled import Integers, Records


class Core(NamedTuple):
    """Records of one replay; see `layout` for their fields."""

    settings: Records  # one record, which stays as it is
    clock: Records  # one record, which changes from instant to instant
    requests: Records  # by id, in order of arrival
    workers: Records  # prefill workers, then decode workers; or aggregated workers alone
    events: Records


class Caches(NamedTuple):
    """What workers have seen of prompts, with caches that forget nothing; see `prefixes`."""

    nodes: Integers  # prefix-tree node of each prompt block of the trace
    keys: Integers  # (worker, node) of each slot of `seen`, or empty where slots are straight
    seen: Integers  # engine blocks that a worker has seen of a node


class Pools(NamedTuple):
    """Blocks of pools that can run full; see `pool`. None stands for pools that can't: less to compile."""

    nodes: Integers  # as above
    copies: Records  # blocks that can be shared, of all pools
    owned: npt.NDArray[np.int32]  # what each request owns, block by block
