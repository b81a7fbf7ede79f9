"""What can be short in a deployment, and what to do about it: only ever said where something is short."""

from __future__ import annotations

from types import MappingProxyType

ADVICE = MappingProxyType(
    {
        "prefill": "add prefill, not links",
        "link": "add bandwidth, or send fewer bytes",
        "decode": "add decode workers, not links",
        "orchestration": "shorten the handover, not the link",
        "workers": "add workers",
    }
)
NAMES = MappingProxyType({"link": "the link", "orchestration": "the handover", "workers": "its workers"})


def named(resource: str) -> str:
    """Name a resource within a sentence.

    Examples
    --------
    >>> named("prefill"), named("workers")
    ('prefill', 'its workers')
    """
    return NAMES.get(resource, resource)


def is_bottleneck(resource: str, of: str = "") -> str:
    """Say which resource is the bottleneck, of what.

    Examples
    --------
    >>> is_bottleneck("workers", " at 3 requests/s"), is_bottleneck("link")
    ('its workers are the bottleneck at 3 requests/s', 'the link is the bottleneck')
    """
    return f"{named(resource)} {'are' if resource == 'workers' else 'is'} the bottleneck{of}"
