import org.apache.paimon.catalog.Catalog;
import org.apache.paimon.catalog.CatalogContext;
import org.apache.paimon.catalog.CatalogFactory;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.data.BinaryString;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.data.Timestamp;
import org.apache.paimon.data.serializer.InternalRowSerializer;
import org.apache.paimon.disk.IOManagerImpl;
import org.apache.paimon.io.DataFileMeta;
import org.apache.paimon.options.Options;
import org.apache.paimon.predicate.Predicate;
import org.apache.paimon.predicate.PredicateBuilder;
import org.apache.paimon.reader.RecordReader;
import org.apache.paimon.schema.Schema;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.Table;
import org.apache.paimon.table.sink.BatchTableCommit;
import org.apache.paimon.table.sink.BatchTableWrite;
import org.apache.paimon.table.sink.BatchWriteBuilder;
import org.apache.paimon.table.sink.CommitMessage;
import org.apache.paimon.table.sink.CommitMessageImpl;
import org.apache.paimon.table.source.DataSplit;
import org.apache.paimon.table.source.ReadBuilder;
import org.apache.paimon.table.source.Split;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.DataTypes;
import org.apache.paimon.types.RowType;

import java.io.File;
import java.lang.management.ManagementFactory;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;

/**
 * Java Paimon 0.9.0 in a benchmark: {@code make TABLE.json WAREHOUSE} writes a table of generated
 * rows, {@code run TASK.json} does a task some times and prints what each run took. The forms of
 * both are in bench/peers/tables.py and bench/peers/tasks.py.
 */
public final class BenchDriver {
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final String SCRATCH = System.getProperty("java.io.tmpdir") + "/paimon-io";

    private static volatile long sink; // what the fields that were read came to: keeps the reads alive

    private BenchDriver() {}

    public static void main(String[] arguments) throws Exception {
        Files.createDirectories(Paths.get(SCRATCH));
        JsonNode what = MAPPER.readTree(new File(arguments[1]));
        if (arguments[0].equals("make")) make(what, catalog(arguments[2]));
        else run(what);
        System.exit(0); // Paimon leaves threads behind that would keep the process
    }

    private static Catalog catalog(String warehouse) {
        Options options = new Options();
        options.set("warehouse", new File(warehouse).getAbsolutePath());
        options.set("cache-enabled", "false");
        return CatalogFactory.createCatalog(CatalogContext.create(options));
    }

    // -------------------------------------------------------------------------------- make

    private static void make(JsonNode spec, Catalog catalog) throws Exception {
        Identifier id = Identifier.create("bench", spec.get("name").asText());
        catalog.createDatabase("bench", true);
        catalog.createTable(id, schema(spec), false);
        Table table = catalog.getTable(id);
        int commits = spec.get("commits").asInt();
        int rows = spec.get("rows").asInt() / commits;
        long range = prime((long) (rows * spec.get("keys_per_row").asDouble()));
        for (int i = 0; i < commits; i++) commit(table, new Rows(spec, range, i), rows);
    }

    private static Schema schema(JsonNode spec) {
        boolean text = spec.get("key").asText().equals("string");
        Schema.Builder builder = Schema.newBuilder();
        builder.column("k", (text ? DataTypes.STRING() : DataTypes.BIGINT()).notNull());
        builder.column("i", DataTypes.INT()).column("j", DataTypes.INT());
        builder.column("l", DataTypes.BIGINT());
        builder.column("x", DataTypes.DOUBLE()).column("y", DataTypes.DOUBLE());
        builder.column("s", DataTypes.STRING()).column("t", DataTypes.STRING());
        builder.column("at", DataTypes.TIMESTAMP(6)).column("b", DataTypes.BOOLEAN());
        if (spec.get("primary_key").asBoolean()) builder.primaryKey("k");
        spec.get("options").fields().forEachRemaining(e -> builder.option(e.getKey(), e.getValue().asText()));
        return builder.build();
    }

    private static long prime(long atLeast) {
        return BigInteger.valueOf(atLeast - 1).nextProbablePrime().longValue();
    }

    /** Rows of distinct keys in pseudo-random order over the whole range of keys. */
    private static final class Rows {
        private final boolean text;
        private final int nulls; // percent of the values
        private final long range;
        private final long step;
        private final SplittableRandom random;
        private long key;

        Rows(JsonNode spec, long range, int commit) {
            this.text = spec.get("key").asText().equals("string");
            this.nulls = spec.get("null_percent").asInt();
            this.range = range;
            this.random = new SplittableRandom(commit + 1);
            this.step = 1 + random.nextLong(range - 1); // `range` is prime: no key comes twice
            this.key = random.nextLong(range);
        }

        GenericRow next() {
            key = (key + step) % range;
            Object k = text ? (Object) BinaryString.fromString(String.format(Locale.ROOT, "user-%015d", key)) : key;
            return GenericRow.of(
                    k,
                    orNull(random.nextInt(1000)),
                    orNull(random.nextInt(100_000_000)), // sums of it stay below 2^31
                    orNull(key % 1000),
                    orNull(random.nextDouble()),
                    orNull(random.nextInt(100) / 100.0),
                    orNull(BinaryString.fromString("s" + random.nextInt(1000))),
                    orNull(BinaryString.fromString("t" + random.nextInt(10_000_000))),
                    orNull(Timestamp.fromMicros(random.nextLong(1_000_000_000_000_000L))),
                    orNull(random.nextBoolean()));
        }

        private Object orNull(Object value) {
            return nulls > 0 && random.nextInt(100) < nulls ? null : value;
        }
    }

    private static void commit(Table table, Rows rows, int count) throws Exception {
        BatchWriteBuilder builder = table.newBatchWriteBuilder();
        try (BatchTableWrite write = builder.newWrite();
                BatchTableCommit commit = builder.newCommit()) {
            write.withIOManager(new IOManagerImpl(SCRATCH));
            for (int i = 0; i < count; i++) write.write(rows.next());
            commit.commit(write.prepareCommit());
        }
    }

    // --------------------------------------------------------------------------------- run

    private static void run(JsonNode task) throws Exception {
        Catalog catalog = catalog(task.get("warehouse").asText());
        for (int i = 0; i < task.get("runs").asInt(); i++) {
            long wall = System.nanoTime(), cpu = cpu();
            long result = once(task, catalog.getTable(Identifier.create("bench", task.get("table").asText())));
            System.out.printf(
                    Locale.ROOT,
                    "{\"wall\": %.6f, \"cpu\": %.6f, \"result\": %d}%n",
                    (System.nanoTime() - wall) / 1e9,
                    (cpu() - cpu) / 1e9,
                    result);
        }
        for (String line : Files.readAllLines(Paths.get("/proc/self/status")))
            if (line.startsWith("VmHWM:"))
                System.out.printf("{\"peak_kib\": %s}%n", line.replaceAll("[^0-9]", ""));
    }

    private static long cpu() {
        return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
                .getProcessCpuTime();
    }

    private static long once(JsonNode task, Table table) throws Exception {
        switch (task.get("do").asText()) {
            case "snapshots":
                return snapshots((FileStoreTable) table);
            case "plan":
                return files(builder(task, table).newScan().plan().splits());
            case "write":
                int count = task.get("rows").asInt();
                commit(table, new Rows(task, prime(2L * count), 0), count);
                return count;
            case "compact":
                return compact(task, table.copy(Collections.singletonMap("write-only", "false")));
            default:
                return read(task, table);
        }
    }

    private static long snapshots(FileStoreTable table) throws Exception {
        long[] seen = new long[2];
        table.snapshotManager()
                .snapshots()
                .forEachRemaining(
                        s -> {
                            seen[0]++;
                            seen[1] += s.totalRecordCount();
                        });
        sink += seen[1];
        return seen[0];
    }

    private static long files(List<Split> splits) {
        return splits.stream().mapToLong(s -> ((DataSplit) s).dataFiles().size()).sum();
    }

    /** All runs of each bucket become one, a bucket a task. */
    private static long compact(JsonNode task, Table table) throws Exception {
        BatchWriteBuilder builder = table.newBatchWriteBuilder();
        ExecutorService pool = Executors.newFixedThreadPool(task.get("threads").asInt());
        try (BatchTableCommit commit = builder.newCommit()) {
            List<Future<List<CommitMessage>>> parts = new ArrayList<>();
            for (Split split : table.newReadBuilder().newScan().plan().splits())
                parts.add(pool.submit(() -> compacted(builder, (DataSplit) split)));
            List<CommitMessage> messages = new ArrayList<>();
            for (Future<List<CommitMessage>> part : parts) messages.addAll(part.get());
            commit.commit(messages);
            return messages.stream()
                    .flatMap(m -> ((CommitMessageImpl) m).compactIncrement().compactAfter().stream())
                    .mapToLong(DataFileMeta::rowCount)
                    .sum();
        } finally {
            pool.shutdown();
        }
    }

    private static List<CommitMessage> compacted(BatchWriteBuilder builder, DataSplit split) throws Exception {
        try (BatchTableWrite write = builder.newWrite()) {
            write.withIOManager(new IOManagerImpl(SCRATCH));
            write.compact(split.partition(), split.bucket(), true);
            return write.prepareCommit();
        }
    }

    private static ReadBuilder builder(JsonNode task, Table table) {
        ReadBuilder builder = table.newReadBuilder();
        RowType type = table.rowType();
        if (task.hasNonNull("columns"))
            builder.withProjection(
                    IntStream.range(0, task.get("columns").size())
                            .map(i -> type.getFieldNames().indexOf(task.get("columns").get(i).asText()))
                            .toArray());
        if (task.hasNonNull("filter")) builder.withFilter(predicate(task.get("filter"), type));
        return builder;
    }

    private static Predicate predicate(JsonNode filter, RowType type) {
        int field = type.getFieldNames().indexOf(filter.get("column").asText());
        Object literal = literal(type.getTypeAt(field), filter.get("literal"));
        PredicateBuilder builder = new PredicateBuilder(type);
        return filter.get("is").asText().equals("=")
                ? builder.equal(field, literal)
                : builder.lessThan(field, literal);
    }

    private static Object literal(DataType type, JsonNode value) {
        switch (type.getTypeRoot()) {
            case INTEGER:
                return value.asInt();
            case BIGINT:
                return value.asLong();
            default:
                return BinaryString.fromString(value.asText());
        }
    }

    /** Each split a task; every field of every row is taken, or every row is held as a binary one. */
    private static long read(JsonNode task, Table table) throws Exception {
        ReadBuilder builder = builder(task, table);
        InternalRow.FieldGetter[] getters = getters(builder.readType());
        ExecutorService pool = Executors.newFixedThreadPool(task.get("threads").asInt());
        try {
            List<Future<Long>> parts = new ArrayList<>();
            ConcurrentLinkedQueue<List<InternalRow>> held = new ConcurrentLinkedQueue<>();
            for (Split split : builder.newScan().plan().splits())
                parts.add(pool.submit(() -> rows(builder, split, getters, task, held)));
            long rows = 0;
            for (Future<Long> part : parts) rows += part.get();
            sink += held.size();
            return rows;
        } finally {
            pool.shutdown();
        }
    }

    private static InternalRow.FieldGetter[] getters(RowType type) {
        return IntStream.range(0, type.getFieldCount())
                .mapToObj(i -> InternalRow.createFieldGetter(type.getTypeAt(i), i))
                .toArray(InternalRow.FieldGetter[]::new);
    }

    private static long rows(
            ReadBuilder builder,
            Split split,
            InternalRow.FieldGetter[] getters,
            JsonNode task,
            Collection<List<InternalRow>> held)
            throws Exception {
        long[] seen = new long[2];
        var read = builder.newRead().withIOManager(new IOManagerImpl(SCRATCH));
        if (task.hasNonNull("filter")) read.executeFilter();
        List<InternalRow> whole = task.hasNonNull("whole") ? new ArrayList<>() : null;
        InternalRowSerializer copier = new InternalRowSerializer(builder.readType());
        if (whole != null) held.add(whole);
        try (RecordReader<InternalRow> reader = read.createReader(split)) {
            reader.forEachRemaining(
                    row -> {
                        seen[0]++;
                        if (whole != null) {
                            whole.add(copier.toBinaryRow(row).copy());
                            return;
                        }
                        for (InternalRow.FieldGetter getter : getters)
                            if (getter.getFieldOrNull(row) != null) seen[1]++;
                    });
        }
        sink += seen[1];
        return seen[0];
    }
}
