"""What the Celery worker runs."""

from console.celery import app
from console.environment import without_pandas

__all__ = ["app"]

without_pandas()
