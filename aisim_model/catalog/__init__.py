"""Models, GPUs and links as data, each record typed, validated on load and with its source."""

from aisim_model.catalog.hardware import Gpu, Link, gpu, gpus, link, links
from aisim_model.catalog.models import CatalogModel, model, models

__all__ = ["CatalogModel", "Gpu", "Link", "gpu", "gpus", "link", "links", "model", "models"]
