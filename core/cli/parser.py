"""The command line: commands, their options and their help."""

from __future__ import annotations

import argparse

from core.cli.actions import ACTIONS, ARGUMENTS
from core.cli.check import run_check
from core.cli.formats import FORMATS
from core.cli.maintain import run_maintain
from core.cli.read import run_read
from core.cli.show import run_show
from core.cli.stream import NOW, run_stream
from core.cli.tables import run_tables

_EXAMPLES = """\
examples:
  lakescope -w /data/wh tables
  lakescope -w /data/wh show sales.orders
  lakescope read sales.orders --where "amount > 10 and city = 'Bonn'" --limit 20
  lakescope read 'sales.orders$files' --format csv | sort -t, -k8 -n | tail
  lakescope read sales.orders --tag v1 --format arrow > orders.arrows
  lakescope stream sales.orders --from latest
  lakescope maintain expire-snapshots sales.orders --retain-max 10
  lakescope check sales.orders
  lakescope --catalog metastore=jdbc --catalog uri=jdbc:sqlite:/data/names.db -w /data/wh tables

A warehouse is named by -w or by the variable LAKESCOPE_WAREHOUSE; a table may also be given
as the path of its directory. Quote names with a $, which a shell would replace. docs/catalogs.md
lists the options of catalogs and stores.
"""

_READ_EXAMPLES = """\
examples:
  lakescope read sales.orders --columns order_id,amount --limit 10
  lakescope read sales.orders --where "day = '2026-11-20'" --explain
  lakescope read sales.orders --snapshot 42
  lakescope read sales.orders --at 2026-11-20T10:00:00Z
  lakescope read 'sales.orders$audit_log' --option incremental-between=41,42
  lakescope read 'sales.orders$snapshots' --format json | jq .commit_kind
  lakescope read 'sales.orders$branch_dev$files' --where "level = 0"
  lakescope read /data/wh/sales.db/orders --format csv > orders.csv
"""

_STREAM_EXAMPLES = """\
Each row has its kind first: +I inserted, -U and +U an update's old and new row, -D deleted. It goes on
until it is interrupted, if no end is given. At the end it says on stderr where another one goes on; with
a consumer-id the table itself remembers, and keeps what was not read yet.

examples:
  lakescope stream sales.orders --until now
  lakescope stream sales.orders --from latest --format json | while read -r row; do ...; done
  lakescope stream sales.orders --from 42 --until 50 --where "city = 'Bonn'"
  lakescope stream sales.orders --option consumer-id=loader --until now
  lakescope stream 'sales.orders$binlog' --from 42 --limit 100
"""

_CHECK_EXAMPLES = """\
exit status: 0 nothing found, 1 at least one finding. Orphan files are listed and do not fail it.

examples:
  lakescope check sales.orders
  lakescope check                       every table of the warehouse
  lakescope check --quick sales.orders  existence and sizes only, no data file is opened
"""


_MAINTAIN_EXAMPLES = """\
Without --yes it only says what would be done. docs/maintenance.md tells what each action does, and what its
warnings mean; a plan with blockers cannot be applied.

examples:
  lakescope maintain expire-snapshots sales.orders --retain-max 10
  lakescope maintain expire-snapshots sales.orders --retain-max 10 --yes
  lakescope maintain create-tag sales.orders week-47 --age '30 d' --yes
  lakescope maintain drop-partitions sales.events day=2026-11-01 day=2026-11-02
  lakescope maintain drop-partitions sales.shops '"city=Portland, ME",day=2026-11-01'
  lakescope maintain rollback sales.orders --at 2026-11-20T10:00:00Z
  lakescope maintain remove-orphan-files sales.orders --format json
"""


def build_parser() -> argparse.ArgumentParser:
    """The parser of all commands; `run` of what it gives is the command's function."""
    parser = argparse.ArgumentParser(
        prog="lakescope",
        description="Look at a lakehouse of Apache Paimon tables: list, read, follow, maintain, check.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    _warehouse(parser, default=None)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    _tables(_command(commands, "tables", "list the tables of a warehouse"))
    _show(_command(commands, "show", "say what a table is and holds"))
    _read(_command(commands, "read", "read the rows of a table or system table", _READ_EXAMPLES))
    _stream(_command(commands, "stream", "follow a table: its rows, then its changes", _STREAM_EXAMPLES))
    _maintain(_command(commands, "maintain", "keep a table in order", _MAINTAIN_EXAMPLES))
    _check(_command(commands, "check", "find what is missing or damaged in tables", _CHECK_EXAMPLES))
    return parser


def _command(
    commands: argparse._SubParsersAction[argparse.ArgumentParser], name: str, summary: str, epilog: str = ""
) -> argparse.ArgumentParser:
    command = commands.add_parser(
        name,
        help=summary,
        description=f"{summary[0].upper()}{summary[1:]}.",
        epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    # Given after the command it wins; not given there it leaves the one before alone.
    _warehouse(command, default=argparse.SUPPRESS)
    return command


def _warehouse(parser: argparse.ArgumentParser, default: str | None) -> None:
    parser.add_argument(
        "-w",
        "--warehouse",
        metavar="PATH",
        default=default,
        help="the warehouse, e.g. /data/wh (default: LAKESCOPE_WAREHOUSE)",
    )
    parser.add_argument(
        "--catalog",
        type=_catalog,
        action="append",
        metavar="KEY=VALUE|@FILE",
        default=default,
        help="an option of the catalog or its store, such as metastore=jdbc, or a file of them, one a line, "
        "for passwords and keys, which others on the machine see in a command; may be given several times",
    )


def _tables(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("database", nargs="?", help="only this database")
    parser.add_argument("-l", "--long", action="store_true", help="kind, rows, last commit of each table")
    _format(parser, "table", "json", "csv")
    parser.set_defaults(run=run_tables)


def _show(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("table", help="database.table, or the path of a table's directory")
    _format(parser, "table", "json")
    parser.set_defaults(run=run_show)


def _read(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "table", help="database.table[$branch_NAME][$SYSTEM], or the path of a table's directory"
    )
    when = parser.add_mutually_exclusive_group()
    when.add_argument("--snapshot", type=_positive, metavar="ID", help="as of a snapshot")
    when.add_argument("--tag", metavar="NAME", help="as of a tag")
    when.add_argument(
        "--at", metavar="TIME", help="as of a time: ISO 8601 (local without a zone) or epoch millis"
    )
    _rows(parser)
    parser.add_argument(
        "--explain", action="store_true", help="say what the filter leaves out and why, and read no rows"
    )
    parser.set_defaults(run=run_read)


def _stream(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "table", help="database.table[$branch_NAME][$audit_log|$binlog], or the path of a table's directory"
    )
    parser.add_argument(
        "--from",
        dest="from_",
        type=_start,
        metavar="START",
        help="the id of a snapshot, or latest-full (the default), latest, compacted-full",
    )
    parser.add_argument(
        "--until",
        type=_end,
        metavar="END",
        help="end when all that there is now has been read (now), or behind the snapshot of this id",
    )
    _rows(parser)
    parser.set_defaults(run=run_stream)


def _rows(parser: argparse.ArgumentParser) -> None:
    """Which rows are printed, and how."""
    parser.add_argument(
        "--option",
        type=_option,
        action="append",
        metavar="KEY=VALUE",
        help="an option of Paimon for this read, such as scan.mode; may be given several times",
    )
    parser.add_argument("--columns", type=_names, metavar="A,B", help="only these columns, in this order")
    parser.add_argument("--where", metavar="FILTER", help="only rows for which this holds, as in SQL's WHERE")
    parser.add_argument("--limit", type=_count, metavar="N", help="at most N rows")
    _format(parser, *FORMATS)


def _check(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("table", nargs="*", help="tables to check (default: all of the warehouse)")
    parser.add_argument("--quick", action="store_true", help="do not open data files")
    _format(parser, "table", "json")
    parser.set_defaults(run=run_check)


def _maintain(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(title="actions", metavar="ACTION", required=True, dest="action")
    for name, action in ACTIONS.items():
        command = _command(actions, name, action.summary)
        command.add_argument("table", help="database.table[$branch_NAME], or the path of a table's directory")
        for argument in (ARGUMENTS[key] for key in action.arguments):
            command.add_argument(argument.flag, help=argument.help, **argument.settings)
        command.add_argument("--yes", action="store_true", help="do it")
        _format(command, "table", "json")
        command.set_defaults(run=run_maintain)


def _format(parser: argparse.ArgumentParser, *names: str) -> None:
    parser.add_argument("--format", choices=names, default="table", help="how to print (default: table)")


def _names(text: str) -> list[str]:
    names = [name.strip() for name in text.split(",") if name.strip()]
    if not names:
        raise argparse.ArgumentTypeError("give at least one column")
    return names


def _catalog(text: str) -> tuple[str, str]:
    """`@` stands for the key of a file's name. What is wrong is not shown: it may be a secret."""
    if text.startswith("@") and len(text) > 1:
        return "@", text[1:]
    key, sign, value = text.partition("=")
    if not key.strip() or not sign:
        raise argparse.ArgumentTypeError("not KEY=VALUE or @FILE")
    return key.strip(), value


def _option(text: str) -> tuple[str, str]:
    key, sign, value = text.partition("=")
    if not key.strip() or not sign:
        raise argparse.ArgumentTypeError(f"not key=value: {text!r}")
    return key.strip(), value


def _count(text: str) -> int:
    if not text.isascii() or not text.isdigit():
        raise argparse.ArgumentTypeError(f"not a number of rows: {text!r}")
    return int(text)


def _start(text: str) -> int | str:
    return _positive(text) if text.isdigit() else text


def _end(text: str) -> int | str:
    return text if text == NOW else _positive(text)


def _positive(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"not the id of a snapshot: {text!r}")
    return int(text)
