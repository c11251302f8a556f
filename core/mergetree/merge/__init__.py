"""Merge engines, one module each: which version of a key counts. Spec: 06, 2."""

from core.mergetree.merge.deduplicate import Deduplicate, newest_rows

__all__ = ["Deduplicate", "newest_rows"]
