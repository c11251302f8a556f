"""The demo warehouse: two tables, made by our own jobs in one Spark session.

`sales.orders` has a primary key and four buckets: a load, then days of new orders, changes
to old ones and deletes, a column that is added half-way, compactions of all and of some
buckets, a tag, and commits that nobody has compacted yet. `web.events` only grows, a
partition a day, of which some are packed. All values come from the row number by hashing,
so two runs make the same rows. Each step commits under an identifier of its own, so a run
that was cut short goes on where it stopped.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - the name that all of Spark's documentation uses

from core import Table, open_catalog
from core.catalog import Catalog
from core.commit import TableCommit
from core.jobs import CompactJob, CompactStrategy, PathSource, Result, SourceFormat, WriteJob
from core.schema import AddColumn
from core.snapshot import Tag
from core.types import DataField, parse_type
from spark_jobs.jobs.compact import compact_table
from spark_jobs.jobs.steps import result_of
from spark_jobs.jobs.write import write_frame
from spark_jobs.report import Reporter

USER = "lakescope-demo"

ORDERS = {
    "order_id": "BIGINT NOT NULL",
    "customer_id": "BIGINT NOT NULL",
    "status": "STRING",
    "product": "STRING",
    "quantity": "INT",
    "unit_price": "DECIMAL(10, 2)",
    "total": "DECIMAL(12, 2)",
    "ship_to": "ROW<city STRING, country STRING>",
    "placed_at": "TIMESTAMP(3)",
    "updated_at": "TIMESTAMP(3)",
}
EVENTS = {
    "day": "DATE NOT NULL",
    "event_id": "STRING NOT NULL",
    "user_id": "BIGINT",
    "kind": "STRING",
    "page": "STRING",
    "referrer": "STRING",
    "device": "STRING",
    "duration_ms": "INT",
    "attributes": "MAP<STRING, STRING>",
    "occurred_at": "TIMESTAMP(3)",
}
ADDED_COLUMN = DataField(0, "sales_channel", parse_type("STRING"), "how the order came in")

FIRST_LOAD = 120_000  # orders
DAILY_ORDERS = 8_000
DAILY_CHANGES = 5_000
DAILY_DELETES = 250
DAYS = 11  # of orders after the load
EVENT_DAYS = 7
DAILY_EVENTS = 43_000
_MONDAY = "2026-01-05"
_SOURCE = WriteJob(PathSource("demo", SourceFormat.PARQUET), row_kind_column="op")


@dataclass(frozen=True, slots=True)
class Demo:
    """What the steps work with."""

    spark: SparkSession
    catalog: Catalog
    reporter: Reporter
    scale: float = 1.0  # of the numbers of rows

    def rows(self, number: int) -> int:
        return max(int(number * self.scale), 4)

    def table(self, name: str) -> Table:
        return self.catalog.get_data_table(name)


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that happens to a table. `identifier` is that of its commit."""

    table: str
    title: str
    act: Callable[[Demo, Step], None]
    identifier: int = 0


def run(spark: SparkSession, warehouse: str, reporter: Reporter, *, scale: float = 1.0) -> Result:
    """Make what is not there yet of the demo warehouse; the result is that of `sales.orders`."""
    demo = Demo(spark, open_catalog(warehouse), reporter, scale)
    _create_tables(demo.catalog)
    plan = steps()
    for done, step in enumerate(plan):
        reporter.progress("demo", done, len(plan), "steps")
        if step.identifier and not TableCommit(demo.table(step.table), USER).filter_committed(
            [step.identifier]
        ):
            continue
        reporter.log(f"{step.table}: {step.title}")
        step.act(demo, step)
    reporter.progress("demo", len(plan), len(plan), "steps")
    return result_of(demo.table("sales.orders"), [])


def steps() -> list[Step]:
    """Everything that happens, in order."""
    orders = [
        ("load the orders of the past", _load_orders),
        *((f"orders and changes of day {day}", _orders_of(day)) for day in range(1, 4)),
        ("compact all buckets", _compact_orders(CompactJob())),
        *((f"orders and changes of day {day}", _orders_of(day)) for day in range(4, 7)),
        ("tag the state as week-1", _tag("week-1")),
        ("add the column sales_channel", _add_column),
        *((f"orders and changes of day {day}", _orders_of(day)) for day in range(7, 10)),
        ("compact buckets 0 and 1", _compact_orders(CompactJob(buckets=(0, 1)))),
        *((f"orders and changes of day {day}", _orders_of(day)) for day in range(10, DAYS + 1)),
    ]
    events = [
        *((f"events of day {day + 1}", _events_of(day, 0, DAILY_EVENTS)) for day in range(EVENT_DAYS - 1)),
        *(
            (f"events of the last hours, {i + 1} of 3", _events_of(EVENT_DAYS - 1, i, 14_000))
            for i in range(3)
        ),
        ("pack the files of the first days", _pack_events),
    ]
    return [*_numbered("sales.orders", orders), *_numbered("web.events", events)]


def _numbered(table: str, titled: Sequence[tuple[str, Callable[[Demo, Step], None]]]) -> list[Step]:
    return [Step(table, title, act, number) for number, (title, act) in enumerate(titled, start=1)]


def _create_tables(catalog: Catalog) -> None:
    # Writers leave compaction to jobs of its own, as where many write at once.
    orders = {"bucket": "4", "write-only": "true"}
    _create(catalog, "sales.orders", ORDERS, keys=["order_id"], options=orders)
    _create(catalog, "web.events", EVENTS, partition=["day"], options={"bucket": "-1"})


def _create(
    catalog: Catalog,
    name: str,
    columns: Mapping[str, str],
    *,
    keys: Sequence[str] = (),
    partition: Sequence[str] = (),
    options: Mapping[str, str],
) -> None:
    catalog.create_database(name.split(".")[0], ignore_if_exists=True)
    if catalog.table_exists(name):
        return
    fields = [DataField(i, column, parse_type(text)) for i, (column, text) in enumerate(columns.items())]
    catalog.create_table(name, fields, primary_keys=keys, partition_keys=partition, options=options)


# --- sales.orders ----------------------------------------------------------------------------

_PRODUCTS = (
    "espresso machine",
    "grinder",
    "kettle",
    "scale",
    "filter papers",
    "beans 1 kg",
    "cups",
    "tamper",
)
_CITIES = (
    ("Berlin", "DE"),
    ("杭州", "CN"),
    ("Lyon", "FR"),
    ("Porto", "PT"),
    ("Oslo", "NO"),
    ("Toronto", "CA"),
    ("上海", "CN"),
    ("Nairobi", "KE"),
)
_STATES = ("placed", "paid", "shipped", "delivered", "returned")
_CHANNELS = ("web", "app", "shop", "phone")


def _load_orders(demo: Demo, step: Step) -> None:
    ids = demo.spark.range(demo.rows(FIRST_LOAD))
    _write(demo, step, _orders(ids, day=0, kind="+I"))


def _orders_of(day: int) -> Callable[[Demo, Step], None]:
    """New orders, changes to earlier ones, and deletes of a few."""

    def act(demo: Demo, step: Step) -> None:
        daily = demo.rows(DAILY_ORDERS)
        first = demo.rows(FIRST_LOAD) + (day - 1) * daily
        new = demo.spark.range(first, first + daily)
        changed = _some_of(demo.spark, first, demo.rows(DAILY_CHANGES), f"change {day}")
        doomed = _some_of(demo.spark, first, demo.rows(DAILY_DELETES), f"delete {day}")
        deleted = doomed.join(changed, "id", "left_anti")
        frame = _orders(new, day=day, kind="+I").unionByName(_orders(changed, day=day, kind="+U"))
        _write(demo, step, frame.unionByName(_orders(deleted, day=day, kind="-D")))

    return act


def _some_of(spark: SparkSession, below: int, count: int, salt: str) -> DataFrame:
    """Ids of earlier orders, newer ones more often."""
    spread = F.sqrt(_hash(salt, 1_000_000) / F.lit(1_000_000.0))
    return spark.range(count).select(F.floor(spread * below).cast("bigint").alias("id")).distinct()


def _orders(ids: DataFrame, *, day: int, kind: str) -> DataFrame:
    """The orders of some ids as they stand on a day."""
    quantity = _hash("quantity", 5) + 1
    price = (_hash("price", 40_000) / 100 + 2).cast("decimal(10,2)")
    placed = F.when(F.col("id") < FIRST_LOAD, F.col("id") * 20).otherwise(
        FIRST_LOAD * 20 + (F.col("id") - FIRST_LOAD) * 10
    )
    age = _hash(f"state {day}", len(_STATES)) if kind == "+U" else F.lit(0)
    frame = ids.select(
        F.lit(kind).alias("op"),
        F.col("id").alias("order_id"),
        (_hash("customer", 20_000) + 1_000).alias("customer_id"),
        _one_of(_STATES, age).alias("status"),
        _one_of(_PRODUCTS, _hash("product", len(_PRODUCTS))).alias("product"),
        quantity.cast("int").alias("quantity"),
        price.alias("unit_price"),
        (price * quantity).cast("decimal(12,2)").alias("total"),
        F.struct(
            _one_of([city for city, _ in _CITIES], _hash("city", len(_CITIES))).alias("city"),
            _one_of([country for _, country in _CITIES], _hash("city", len(_CITIES))).alias("country"),
        ).alias("ship_to"),
        _moment(placed).alias("placed_at"),
        _moment(placed + F.lit(day) * 86_400 + _hash(f"minute {day}", 86_400)).alias("updated_at"),
        _one_of(_CHANNELS, _hash("channel", len(_CHANNELS))).alias(ADDED_COLUMN.name),
    )
    return frame


def _add_column(demo: Demo, step: Step) -> None:
    table = demo.table(step.table)
    if table.schema.field_names[-1] != ADDED_COLUMN.name:
        change = AddColumn((ADDED_COLUMN.name,), ADDED_COLUMN.type, ADDED_COLUMN.description)
        table.schemas.commit_changes([change], has_snapshots=True)


def _tag(name: str) -> Callable[[Demo, Step], None]:
    def act(demo: Demo, step: Step) -> None:
        table = demo.table(step.table)
        latest = table.snapshots.latest()
        if latest is not None and not table.tags.exists(name):
            table.tags.create(Tag(name, latest))

    return act


def _compact_orders(job: CompactJob) -> Callable[[Demo, Step], None]:
    def act(demo: Demo, step: Step) -> None:
        compact_table(
            demo.spark,
            demo.table(step.table),
            job,
            user=USER,
            reporter=demo.reporter,
            identifier=step.identifier,
        )

    return act


# --- web.events ------------------------------------------------------------------------------

_KINDS = ("view", "view", "view", "click", "search", "add_to_cart", "checkout")
_PAGES = ("/", "/beans", "/machines", "/grinders", "/guides/espresso", "/guides/中文", "/cart", "/checkout")
_REFERRERS = ("search", "newsletter", "friend", "direct")
_DEVICES = ("phone", "laptop", "tablet")


def _events_of(day: int, part: int, count: int) -> Callable[[Demo, Step], None]:
    def act(demo: Demo, step: Step) -> None:
        first = day * 100_000 + part * count
        _write(demo, step, _events(demo.spark.range(first, first + demo.rows(count)), day))

    return act


def _events(ids: DataFrame, day: int) -> DataFrame:
    second = _hash("second", 86_400)
    return ids.select(
        F.date_add(F.lit(_MONDAY), day).alias("day"),
        F.concat(F.lit("e-"), F.hex("id")).alias("event_id"),
        F.when(_hash("known", 4) > 0, _hash("user", 9_000)).alias("user_id"),
        _one_of(_KINDS, _hash("kind", len(_KINDS))).alias("kind"),
        _one_of(_PAGES, _hash("page", len(_PAGES))).alias("page"),
        F.when(_hash("came", 3) > 0, _one_of(_REFERRERS, _hash("from", len(_REFERRERS)))).alias("referrer"),
        _one_of(_DEVICES, _hash("device", len(_DEVICES))).alias("device"),
        (_hash("duration", 90_000) + 10).cast("int").alias("duration_ms"),
        F.create_map(
            F.lit("build"), F.concat(F.lit("2026."), _hash("build", 12).cast("string")),
            F.lit("lang"), _one_of(("en", "zh", "de"), _hash("lang", 3)),
        ).alias("attributes"),
        _moment(F.lit(day) * 86_400 + second).alias("occurred_at"),
    )  # fmt: skip


def _pack_events(demo: Demo, step: Step) -> None:
    days = tuple({"day": f"2026-01-0{5 + day}"} for day in range(3))
    job = CompactJob(CompactStrategy.FULL, partitions=days)
    _compact_orders(job)(demo, step)


# --- both ------------------------------------------------------------------------------------


def _write(demo: Demo, step: Step, frame: DataFrame) -> None:
    table = demo.table(step.table)
    names = [*(["op"] if table.schema.primary_keys else []), *table.schema.field_names]
    job = _SOURCE if table.schema.primary_keys else WriteJob(_SOURCE.source)
    write_frame(
        demo.spark,
        table,
        frame.select(*names),
        job,
        user=USER,
        reporter=demo.reporter,
        identifier=step.identifier,
    )


def _hash(salt: str, below: int) -> Column:
    """A number from 0 up to `below`, always the same for an id."""
    return F.pmod(F.xxhash64(F.col("id"), F.lit(salt)), F.lit(below))


def _one_of(values: Sequence[str], number: Column) -> Column:
    return F.element_at(F.array(*map(F.lit, values)), (number + 1).cast("int"))


def _moment(seconds: Column) -> Column:
    """A time some seconds after the first Monday."""
    start = F.unix_timestamp(F.lit(f"{_MONDAY} 00:00:00"))
    return F.timestamp_seconds(start + seconds).cast("timestamp_ntz")
