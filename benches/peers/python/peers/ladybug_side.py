"""Ladybug has Kuzu's interface."""

from kuzu_side import make, version

__all__ = ["make", "version"]
