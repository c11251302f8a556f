"""Streaming reads: a table as it stands, then its changes as they are committed. Spec: 09, 6 and 7."""

from core.stream.start import StreamStart
from core.stream.table_stream import SYSTEM_CLOCK, Clock, Rows, TableStream

__all__ = ["SYSTEM_CLOCK", "Clock", "Rows", "StreamStart", "TableStream"]
