"""`lakescope check`: what is missing or damaged. Exit status 1 if anything is."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from dataclasses import asdict

from core.catalog.table_types import is_plain
from core.cli.targets import catalog_of, table_of
from core.maintenance.check import CheckReport, check_table
from core.table import Table


def run_check(given: argparse.Namespace) -> int:
    found = 0
    for table in _tables(given):
        report = check_table(table, read_files=not given.quick)
        found += len(report.findings)
        _print_json(report) if given.format == "json" else _print_text(report)
    return 1 if found else 0


def _tables(given: argparse.Namespace) -> Iterator[Table]:
    if given.table:
        yield from (table_of(given, name) for name in given.table)
        return
    catalog = catalog_of(given)
    for database in catalog.list_databases():
        for name in catalog.list_tables(database):
            table = catalog.get_data_table(f"{database}.{name}")
            if not is_plain(table):
                yield table


def _print_text(report: CheckReport) -> None:
    looked = ", ".join(f"{count} {what}" for what, count in report.checked.items() if count)
    verdict = f"{len(report.findings)} found" if report.findings else "nothing found"
    print(f"{report.table}: {verdict} ({looked})")
    for finding in report.findings:
        print(f"  {finding.severity.value}: {finding}")
    for orphan in report.orphans:
        print(f"  orphan: {orphan.path} ({orphan.size} bytes)")
    if report.orphans_unknown:
        print(f"  orphans cannot be told: {report.orphans_unknown}")


def _print_json(report: CheckReport) -> None:
    """One object a table and line."""
    print(json.dumps(asdict(report), ensure_ascii=False))
