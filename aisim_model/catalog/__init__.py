"""Models, GPUs and links as data, each record typed, validated on load and with its source."""

from aisim_model.catalog.hardware import Gpu, Link, Tier, gpu, gpus, link, links, tier, tiers
from aisim_model.catalog.models import CatalogModel, model, models

__all__ = [
    "CatalogModel",
    "Gpu",
    "Link",
    "Tier",
    "gpu",
    "gpus",
    "link",
    "links",
    "model",
    "models",
    "tier",
    "tiers",
]
