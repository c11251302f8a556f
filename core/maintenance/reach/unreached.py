"""What goes of some files that metadata named: all that no root reaches any more."""

from __future__ import annotations

from collections.abc import Sequence

from core.errors import FormatError, NotFoundError
from core.maintenance.notice import Notice
from core.maintenance.reach.delete import Progress, delete_empty_directories, delete_files, no_progress
from core.maintenance.reach.named import NamedFiles
from core.maintenance.reach.roots import Root, Roots
from core.maintenance.reach.search import reached_names
from core.options import SNAPSHOT_CLEAN_EMPTY_DIRECTORIES
from core.table import Table


def would_go(
    table: Table, named: NamedFiles, roots: Roots, staying: Sequence[Root]
) -> tuple[NamedFiles, tuple[Notice, ...]]:
    """What no staying root reaches, and what forbids to say so."""
    if roots.unreadable:
        return NamedFiles.none(), roots.unreadable
    try:
        return _unreached(table, named, staying), ()
    except (NotFoundError, FormatError) as error:
        return NamedFiles.none(), (Notice.of_error("unreadable-reference", error),)


def delete_unreached(table: Table, named: NamedFiles, progress: Progress = no_progress) -> NamedFiles:
    """Delete those of the files that nothing reaches, and return them.

    The last step of whatever takes roots away. Directories that it leaves empty go where the table asks
    for it (`snapshot.clean-empty-directories`).

    Raises:
        NotFoundError, FormatError: something that stays cannot be read; no file was deleted.
    """
    roots = Roots.of(table)
    if roots.unreadable:
        notice = roots.unreadable[0]
        raise FormatError("what keeps files alive cannot be read", **dict(notice.fields))
    gone = _unreached(table, named, roots.found)
    delete_files(table, gone.paths, progress)
    if table.options.get(SNAPSHOT_CLEAN_EMPTY_DIRECTORIES):
        delete_empty_directories(table, gone.paths)
    return gone


def _unreached(table: Table, named: NamedFiles, roots: Sequence[Root]) -> NamedFiles:
    return named.without(reached_names(table, roots, named.names)) if len(named) else named
