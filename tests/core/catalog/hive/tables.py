"""Tables of a metastore as Hive itself makes them, with files as it writes them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pymetastore.hive_metastore.ttypes import FieldSchema, Partition, SerDeInfo, StorageDescriptor, Table

from core.catalog.hive.client import HiveClient

LAZY = "org.apache.hadoop.hive.serde2.lazy.LazySimpleSerDe"
TEXT_INPUT = "org.apache.hadoop.mapred.TextInputFormat"
TEXT_OUTPUT = "org.apache.hadoop.hive.ql.io.HiveIgnoreKeyTextOutputFormat"

_PARQUET = "org.apache.hadoop.hive.ql.io.parquet"
PARQUET = {
    "inputFormat": f"{_PARQUET}.MapredParquetInputFormat",
    "outputFormat": f"{_PARQUET}.MapredParquetOutputFormat",
    "serdeInfo": SerDeInfo(serializationLib=f"{_PARQUET}.serde.ParquetHiveSerDe", parameters={}),
}


class Metastore:
    """What tests ask of a metastore beside our catalog; all in database `db`."""

    def __init__(self, options: Mapping[str, str], folder: Path) -> None:
        self.client = HiveClient.at(options["uri"])
        self.folder = folder

    def make(
        self,
        name: str,
        columns: Mapping[str, str],
        keys: Mapping[str, str] | None = None,
        *,
        serde: Mapping[str, str] | None = None,
        parameters: Mapping[str, str] | None = None,
        is_external: bool = False,
        **descriptor: Any,
    ) -> Path:
        """A table of text in a folder of its own; `descriptor` says what is otherwise."""
        (place := self.folder / f"hives_{name}").mkdir(parents=True)
        own = SerDeInfo(serializationLib=LAZY, parameters=dict(serde or {"serialization.format": "1"}))
        given = {"inputFormat": TEXT_INPUT, "outputFormat": TEXT_OUTPUT, "serdeInfo": own, "numBuckets": -1}
        made = Table(
            tableName=name,
            dbName="db",
            owner="hive",
            createTime=1_700_000_000,
            sd=StorageDescriptor(cols=_columns(columns), location=f"file:{place}", **{**given, **descriptor}),
            partitionKeys=_columns(keys or {}),
            parameters=dict(parameters or {}) | ({"EXTERNAL": "TRUE"} if is_external else {}),
            tableType="EXTERNAL_TABLE" if is_external else "MANAGED_TABLE",
        )
        self.client.change("make", lambda hms: hms.create_table(made))
        return place

    def table(self, name: str) -> Any:
        return self.client.ask("look", lambda hms: hms.get_table("db", name))

    def add_partition(self, name: str, values: list[str], place: Path, **descriptor: Any) -> None:
        sd = self.table(name).sd
        sd.location = f"file:{place}"
        for key, value in descriptor.items():
            setattr(sd, key, value)
        made = Partition(
            values=values, dbName="db", tableName=name, createTime=1, sd=sd, parameters={"a": "b"}
        )
        self.client.change("add", lambda hms: hms.add_partition(made))

    def partitions(self, name: str) -> dict[str, str]:
        """Places by values, of all that are registered."""
        found = self.client.ask("look", lambda hms: hms.get_partitions("db", name, -1))
        return {"/".join(one.values): one.sd.location.removeprefix("file:") for one in found}


def _columns(given: Mapping[str, str]) -> list[FieldSchema]:
    return [FieldSchema(name=name, type=kind) for name, kind in given.items()]
