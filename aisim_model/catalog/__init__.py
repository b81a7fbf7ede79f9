"""Models, GPUs and links as data, each record typed, validated on load and with its source."""

from aisim_model.catalog.hardware import Gpu, Link, gpu, gpus, link, links

__all__ = ["Gpu", "Link", "gpu", "gpus", "link", "links"]
