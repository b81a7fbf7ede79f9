"""The records that the compiled loops work on: one row a request, one row a worker, one row of settings."""

from __future__ import annotations

import numpy as np

MOST_NUMBERS, MOST_WINDOWS = 512, 16  # that a time of a pass takes of a worker, of layers that keep a window

NONE = -1  # the end of a chain, an empty slot
UNLIMITED = 2**62
PRIVATE = -2  # a block that its request owns alone

# What a request is doing; the order is the order of a life.
NOT_ARRIVED, QUEUED, PREFILLING, SOURCE_HELD, ON_LINK, TRANSFERRED, DECODING, COMPLETED, CANCELLED = range(9)

CONTENTION_NONE, CONTENTION_FIFO, CONTENTION_FAIR = range(3)
SCOPE_SOURCE, SCOPE_DESTINATION, SCOPE_SHARED = range(3)
FROM_DECODE_STEP, FROM_SHIPPED, FROM_PREFILL = range(3)

Field = tuple[str, type[np.float64] | type[np.int64]]


def _floats(names: str) -> list[Field]:
    return [(name, np.float64) for name in names.split()]


def _integers(names: str) -> list[Field]:
    return [(name, np.int64) for name in names.split()]


_REQUEST = (
    _floats("arrival prefill_start held asked granted link_asked link_start wire_end activated")
    + _floats("first second last cancelled alone")
    + _integers("prompt output first_hash hash_count prefill_hit decode_hit moved computed emitted")
    + _integers("prefill_worker decode_worker stage ready order")
    # `key` orders a skew heap: the pass after which a sequence ends, or the link's clock at a transfer's end
    + _floats("key")
    + _integers("left right next next_release")
)
REQUEST = np.dtype(_REQUEST, align=True)

POOLED_REQUEST = np.dtype(
    # pools that can run full: neighbours among those that run, what this pass takes, blocks owned
    _REQUEST
    + _integers("before after preemptions took took_prompt took_before took_pass")
    + _integers("blocks source_blocks first_block first_source"),
    align=True,
)

WORKER = np.dtype(
    _floats("end busy_ms")
    # `held`: sequences with room here, from the grant of their reservation to their last token
    + _integers("decoding held context pass_no in_heap in_progress busy loud marked")
    + _integers("wait_head wait_tail pending_head pending_tail defer_head defer_tail done_head done_tail")
    # the link that its transfers share, where they share one
    + _floats("link_clock link_updated link_end")
    + _integers("link_active link_head link_tail link_current")
    # pools that can run full: blocks in use and kept, the queue of those to go, and the pass that is planned
    + _integers("active inactive oldest newest first_running last_running running next_order freed refused")
    + _integers(
        "release_head release_tail budget batch batch_before batch_reached batch_resumed preempted stuck"
    ),
    align=True,
)

COPY = np.dtype(
    # `chain` is the head of the hash chain of this place, whatever copy lies here
    _integers("key uses older newer next chain"),
    align=True,
)

EVENT = np.dtype(
    # the first fields are a heap of events; `action` is a ring of its own: what the present instant calls for
    _floats("time") + _integers("code action"),
    align=True,
)

SETTINGS = np.dtype(
    _integers("prefill_workers decode_workers aggregated source_first destination_missing caching")
    + _integers("block trace_block chunk prefill_sequences decode_sequences most_held pool")
    + _integers("bytes_known contention scope first_token nodes node_blocks windows")
    + _integers("mixes prefill_kind decode_kind")
    + _floats("bytes_per_token state_bytes bandwidth fallback orchestration")
    # what changes in a replay
    + _integers("arrived next_prefill next_decode heap_size queue_head queue_size unused_copy done driven")
    + [("prefill_numbers", np.float64, (MOST_NUMBERS,)), ("decode_numbers", np.float64, (MOST_NUMBERS,))]
    + [("window_bytes", np.float64, (MOST_WINDOWS,)), ("window_tokens", np.int64, (MOST_WINDOWS,))],
    align=True,
)
