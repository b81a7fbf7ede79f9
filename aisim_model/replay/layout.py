"""The records that the compiled loops work on: rows of requests and workers, settings, a clock."""

from __future__ import annotations

import numpy as np

MOST_NUMBERS, MOST_WINDOWS = 1088, 16  # that a time of a pass takes of a worker, of layers that keep a window

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


# Instants are in ms after the first arrival, NaN where a request never got there. A request, a worker or a
# copy is named by its index, NONE where there is none; a flag is 0 or 1.
_REQUEST: list[Field] = [
    *_floats("arrival"),  # instant: it comes
    *_floats("prefill_start"),  # instant: the first pass that computes its prompt begins
    *_floats("held"),  # instant: its prompt is computed; the source is held, or the first token emitted
    *_floats("asked granted"),  # instants: room on the decode worker is asked, is granted
    *_floats("link_asked link_start wire_end"),  # instants: transfer ordered, gets bandwidth, is off the wire
    *_floats("activated"),  # instant: it may decode
    *_floats("first second last"),  # instants: tokens that a client sees
    *_floats("cancelled"),  # instant
    *_floats("alone"),  # ms that its transfer takes with a link to itself
    *_integers("prompt output"),  # tokens that it brings, that it is to emit
    *_integers("first_hash hash_count"),  # index of its first hash id among all of the trace, how many it has
    *_integers("prefill_hit decode_hit"),  # tokens found in the cache of the prefill, the decode worker
    *_integers("moved"),  # tokens that its transfer moves
    *_integers("computed"),  # tokens whose KV is there, cached or computed
    *_integers("emitted"),  # tokens
    *_integers("prefill_worker decode_worker"),  # index in its pool; an aggregated worker is in the first
    *_integers("stage"),  # NOT_ARRIVED to CANCELLED
    *_integers("ready"),  # flag: orchestration of the handoff is done
    *_integers("order"),  # place in the order in which its worker got its requests
    *_floats("key"),  # of a skew heap: pass after which it ends [-], or link clock at its transfer's end [ms]
    *_integers("left right"),  # requests: children in a skew heap
    *_integers("next next_release"),  # requests: next in the chain it waits in, in that of sources to release
]
REQUEST = np.dtype(_REQUEST, align=True)

POOLED_REQUEST = np.dtype(
    [
        *_REQUEST,  # and, where a pool can run full:
        *_integers("before after"),  # requests: neighbours among those that run on its worker
        *_integers("preemptions"),  # times that it lost its blocks
        *_integers("took"),  # tokens that its latest pass computes
        *_integers("took_prompt took_before"),  # prompt tokens among them, and those there before that pass
        *_integers("took_pass"),  # number of that pass
        *_integers("blocks source_blocks"),  # blocks owned on the decode or aggregated, on the prefill worker
        *_integers("first_block first_source"),  # index in `Pools.owned` where the one, the other list begins
    ],
    align=True,
)

WORKER = np.dtype(
    [
        *_floats("end"),  # instant: the running pass ends
        *_floats("busy_ms"),  # ms spent in passes
        *_integers("decoding"),  # sequences that take a token in every pass
        *_integers("held"),  # sequences with room here, from the grant of their reservation to the last token
        *_integers("context"),  # tokens of the sequences that decode, emitted ones among them
        *_integers("pass_no"),  # passes begun
        *_integers("in_heap"),  # request: root of the heap of those that decode, by the pass that ends them
        *_integers("in_progress"),  # request whose prompt goes on in the next pass
        *_integers("busy"),  # flag: a pass runs
        *_integers("loud"),  # flag: its end is an event
        *_integers("marked"),  # flag: to be looked at again at the end of this instant
        # ends of chains of requests:
        *_integers("wait_head wait_tail"),  # that wait for a pass
        *_integers("pending_head pending_tail"),  # that wait for room
        *_integers("defer_head defer_tail"),  # whose activation waits for the end of the running pass
        *_integers("done_head done_tail"),  # whose prompt the running pass completes
        # the link that this worker keeps, where transfers share one:
        *_floats("link_clock"),  # ms of a link to itself that each active transfer has had
        *_floats("link_updated"),  # instant to which that clock was moved
        *_floats("link_end"),  # instant: the next transfer ends if nothing else happens; negative without one
        *_integers("link_active"),  # transfers that share the link now
        *_integers("link_head link_tail"),  # requests: first and last of a queue; head alone: root of a heap
        *_integers("link_current"),  # request whose transfer has the link to itself
        # where a pool can run full:
        *_integers("active inactive"),  # blocks in use, blocks kept that nobody uses
        *_integers("oldest newest"),  # copies: ends of the queue of those that nobody uses
        *_integers("first_running last_running"),  # requests: ends of the list of those that run
        *_integers("running"),  # sequences in that list
        *_integers("leaving"),  # sequences whose last token leaves at the end of the running pass
        *_integers("next_order"),  # requests that it got so far; kept in every replay
        *_integers("freed refused"),  # times that room was made; how many that were when it refused a request
        *_integers("release_head release_tail"),  # requests whose source goes once the running pass ends
        # the pass that is planned:
        *_integers("budget"),  # tokens that it may still take
        *_integers("batch"),  # prompts in it
        *_integers("batch_before batch_reached"),  # prompt tokens of these before it, after it
        *_integers("batch_resumed"),  # prompt tokens before it that an earlier pass computed, not cached ones
        *_integers("preempted"),  # flag: a sequence lost its blocks in it
        *_integers("stuck"),  # flag: nothing runs and nothing could be admitted
    ],
    align=True,
)

COPY = np.dtype(
    [
        *_integers("key"),  # name of its content on its worker
        *_integers("uses"),  # requests that share it
        *_integers("older newer"),  # copies: neighbours in the queue of those that nobody uses
        *_integers("next"),  # copy: next in its hash chain, or among those without content
        *_integers("chain"),  # copy: head of the hash chain of this place, whatever copy lies here
    ],
    align=True,
)

EVENT = np.dtype(
    [
        *_floats("time"),  # instant; with `code` a heap of what is ahead
        *_integers("code"),  # what happens, and to whom; see `events`
        *_integers("action"),  # code; a ring of its own: what the present instant calls for
    ],
    align=True,
)

SETTINGS = np.dtype(
    [
        *_integers("prefill_workers decode_workers"),  # workers of a split deployment
        *_integers("aggregated"),  # flag: workers prefill and decode both
        *_integers("source_first"),  # flag: a prompt is computed before room is asked on the decode worker
        *_integers("destination_missing"),  # flag: only blocks that the decode worker lacks are sent
        *_integers("caching"),  # flag: workers reuse blocks of prompts that they have seen
        *_integers("block trace_block"),  # tokens of a KV block, of a hash id of the trace
        *_integers("chunk"),  # tokens that a pass takes at most
        *_integers("prefill_sequences decode_sequences"),  # sequences of a pass at most, by kind of worker
        *_integers("most_held"),  # sequences that a decode worker has room for
        *_integers(
            "concurrency"
        ),  # requests in flight, each followed by the next as it ends; 0: as they arrive
        *_integers("pool"),  # blocks of a worker
        *_integers("bytes_known"),  # flag: the time of a transfer follows from bytes and bandwidth
        *_integers("contention"),  # CONTENTION_NONE to CONTENTION_FAIR
        *_integers("scope"),  # SCOPE_SOURCE to SCOPE_SHARED
        *_integers("first_token"),  # FROM_DECODE_STEP to FROM_PREFILL
        *_integers("nodes"),  # nodes of the prefix tree
        *_integers("node_blocks"),  # KV blocks that can end in one node, at most
        *_integers("windows"),  # groups of layers that keep a window
        *_integers("mixes"),  # flag: prompts and sequences of a pass are timed in one call
        *_integers("prefill_kind decode_kind"),  # `passes.registry.Kind`
        *_floats("bytes_per_token state_bytes"),  # bytes on the wire: of each token, of each request
        *_floats("bandwidth"),  # GB/s, decimal
        *_floats("fallback"),  # ms of a transfer where bytes or bandwidth are unknown
        *_floats("orchestration"),  # ms of a handoff beside the wire
        ("prefill_numbers", np.float64, (MOST_NUMBERS,)),  # of the time of a pass, by its kind
        ("decode_numbers", np.float64, (MOST_NUMBERS,)),
        ("window_bytes", np.float64, (MOST_WINDOWS,)),  # bytes a token, by group of layers
        ("window_tokens", np.int64, (MOST_WINDOWS,)),  # tokens kept, by group of layers
    ],
    align=True,
)

CLOCK = np.dtype(
    [
        *_integers("arrived"),  # requests that have arrived
        *_integers("next_prefill next_decode"),  # workers whose turn it is
        *_integers("heap_size"),  # events ahead
        *_integers("queue_head queue_size"),  # index in the ring of actions, actions in it
        *_integers("driven"),  # flag: workers have been looked at in this instant
        *_integers("done"),  # requests completed or cancelled
        *_integers("left"),  # requests whose end a client has seen, so that another may come
        *_integers("unused_copy"),  # copy: first of those without content
    ],
    align=True,
)
