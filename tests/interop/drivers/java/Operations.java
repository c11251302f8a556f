import org.apache.paimon.Snapshot;
import org.apache.paimon.catalog.Catalog;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.consumer.Consumer;
import org.apache.paimon.consumer.ConsumerManager;
import org.apache.paimon.data.BinaryRow;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.deletionvectors.BitmapDeletionVector;
import org.apache.paimon.disk.IOManager;
import org.apache.paimon.disk.IOManagerImpl;
import org.apache.paimon.io.DataFileMeta;
import org.apache.paimon.manifest.ManifestCommittable;
import org.apache.paimon.manifest.ManifestEntry;
import org.apache.paimon.operation.FileStoreCommit;
import org.apache.paimon.options.ExpireConfig;
import org.apache.paimon.reader.RecordReader;
import org.apache.paimon.schema.Schema;
import org.apache.paimon.schema.SchemaChange;
import org.apache.paimon.schema.SchemaManager;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;
import org.apache.paimon.stats.ColStats;
import org.apache.paimon.stats.Statistics;
import org.apache.paimon.table.BucketMode;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.sink.BatchWriteBuilder;
import org.apache.paimon.table.sink.CommitMessage;
import org.apache.paimon.table.sink.TableCommitImpl;
import org.apache.paimon.table.sink.TableWriteImpl;
import org.apache.paimon.table.source.DataSplit;
import org.apache.paimon.table.source.Split;
import org.apache.paimon.types.DataField;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.RowKind;
import org.apache.paimon.types.RowType;
import org.apache.paimon.utils.Pair;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/** Carries out a description (see ../../describe.py): creates tables and changes them, in order. */
final class Operations {
    private Operations() {}

    static Map<String, Long> ids = new HashMap<>();

    static FileStoreTable get(Catalog c, Identifier id, JsonNode op) throws Exception {
        FileStoreTable t = (FileStoreTable) c.getTable(id);
        if (op.hasNonNull("branch")) t = t.switchToBranch(op.get("branch").asText());
        if (op.has("options")) t = t.copyWithoutTimeTravel(Json.strMap(op.get("options")));
        return t;
    }

    static GenericRow parseRow(JsonNode r, RowType rt) {
        RowKind k = RowKind.fromShortString(r.get(0).asText());
        if (r.size() - 1 != rt.getFieldCount())
            throw new IllegalArgumentException("arity " + r + " vs " + rt);
        GenericRow g = new GenericRow(k, rt.getFieldCount());
        for (int i = 0; i < rt.getFieldCount(); i++)
            g.setField(i, Values.from(r.get(i + 1), rt.getTypeAt(i)));
        return g;
    }

    static long nextId(String user, FileStoreTable t, JsonNode op) {
        if (op.hasNonNull("id"))
            return op.get("id").isTextual()
                    ? BatchWriteBuilder.COMMIT_IDENTIFIER
                    : op.get("id").asLong();
        String key = user + "/" + t.location() + "/" + t.coreOptions().branch();
        return ids.merge(key, 1L, Long::sum);
    }

    static void commit(
            FileStoreTable t, String user, long cid, List<CommitMessage> msgs, JsonNode op)
            throws Exception {
        try (TableCommitImpl cm = t.newCommit(user)) {
            if (op.has("overwrite")) cm.withOverwrite(Json.strMap(op.get("overwrite")));
            if (op.has("allowEmpty")) cm.ignoreEmptyCommit(false);
            ManifestCommittable mc =
                    op.hasNonNull("watermark")
                            ? new ManifestCommittable(cid, op.get("watermark").asLong())
                            : new ManifestCommittable(cid);
            msgs.forEach(mc::addFileCommittable);
            if (op.has("logOffsets"))
                op.get("logOffsets")
                        .fields()
                        .forEachRemaining(
                                e ->
                                        Internals.addLogOffset(
                                                mc,
                                                Integer.parseInt(e.getKey()),
                                                e.getValue().asLong()));
            cm.commit(mc);
        }
    }

    static Set<Pair<BinaryRow, Integer>> buckets(FileStoreTable t) {
        Set<Pair<BinaryRow, Integer>> s = new LinkedHashSet<>();
        for (Split sp : t.newSnapshotReader().read().splits()) {
            DataSplit d = (DataSplit) sp;
            s.add(Pair.of(d.partition(), d.bucket()));
        }
        // level-0-only buckets of deletion-vector tables are not planned by the reader
        for (ManifestEntry e : t.store().newScan().plan().files())
            s.add(Pair.of(e.partition(), e.bucket()));
        return s;
    }

    static void write(Catalog c, Identifier id, JsonNode op) throws Exception {
        FileStoreTable t = get(c, id, op);
        String user = op.hasNonNull("user") ? op.get("user").asText() : "peer-writer";
        long cid = nextId(user, t, op);
        RowType rt = t.rowType();
        IOManager io = new IOManagerImpl(PaimonDriver.SCRATCH);
        TableWriteImpl<?> w = t.newWrite(user);
        w.withIOManager(io);
        if (op.has("overwrite")) w.withIgnorePreviousFiles(true);
        List<CommitMessage> msgs;
        if (Internals.assignsBuckets(t)) {
            List<GenericRow> rows = new ArrayList<>();
            for (JsonNode r : op.get("rows")) rows.add(parseRow(r, rt));
            Internals.writeToAssignedBuckets(t, w, io, user, rows);
        } else {
            for (JsonNode r : op.get("rows")) w.write(parseRow(r, rt));
        }
        if (op.hasNonNull("compact")) {
            boolean full = op.get("compact").asText().equals("full");
            Set<Pair<BinaryRow, Integer>> bs = buckets(t);
            for (JsonNode r : op.get("rows"))
                if (t.bucketMode() == BucketMode.HASH_FIXED) {
                    GenericRow g = parseRow(r, rt);
                    bs.add(Pair.of(w.getPartition(g).copy(), w.getBucket(g)));
                }
            for (Pair<BinaryRow, Integer> b : bs) w.compact(b.getLeft(), b.getRight(), full);
        }
        msgs = w.prepareCommit(true, cid);
        commit(t, user, cid, msgs, op);
        w.close();
        io.close();
    }

    static void compact(Catalog c, Identifier id, JsonNode op) throws Exception {
        FileStoreTable t =
                get(c, id, op)
                        .copyWithoutTimeTravel(Collections.singletonMap("write-only", "false"));
        String user = op.hasNonNull("user") ? op.get("user").asText() : "peer-compactor";
        long cid = nextId(user, t, op);
        List<CommitMessage> msgs = new ArrayList<>();
        if (t.bucketMode() == BucketMode.BUCKET_UNAWARE) {
            msgs.addAll(Internals.packAppendFiles(t, user));
        } else {
            TableWriteImpl<?> w = t.newWrite(user);
            w.withIOManager(new IOManagerImpl(PaimonDriver.SCRATCH));
            boolean full = !op.has("full") || op.get("full").asBoolean();
            Set<Integer> only = null;
            if (op.has("buckets")) {
                only = new HashSet<>();
                for (JsonNode b : op.get("buckets")) only.add(b.asInt());
            }
            RowType pt = t.schema().logicalPartitionType();
            for (Pair<BinaryRow, Integer> b : buckets(t)) {
                if (only != null && !only.contains(b.getRight())) continue;
                if (op.has("partition") && !op.get("partition").equals(Values.row(b.getLeft(), pt)))
                    continue;
                w.compact(b.getLeft(), b.getRight(), full);
            }
            msgs = w.prepareCommit(true, cid);
            commit(t, user, cid, msgs, op);
            w.close();
            return;
        }
        commit(t, user, cid, msgs, op);
    }

    static void dvDelete(Catalog c, Identifier id, JsonNode op) throws Exception {
        FileStoreTable t = get(c, id, op);
        String user = op.hasNonNull("user") ? op.get("user").asText() : "peer-deleter";
        long cid = nextId(user, t, op);
        Set<String> vals = new HashSet<>();
        op.get("in").forEach(v -> vals.add(v.toString()));
        int col = t.rowType().getFieldNames().indexOf(op.get("col").asText());
        List<CommitMessage> msgs =
                Internals.deleteByVectors(
                        t,
                        row ->
                                vals.contains(
                                        Values.field(row, t.rowType().getTypeAt(col), col).toString()));
        commit(t, user, cid, msgs, op);
    }

    /** The positions of a file's rows that a condition names. */
    static BitmapDeletionVector positions(
            FileStoreTable t, DataSplit d, DataFileMeta f, Predicate<InternalRow> condition)
            throws Exception {
        DataSplit one =
                DataSplit.builder()
                        .withSnapshot(d.snapshotId())
                        .withPartition(d.partition())
                        .withBucket(d.bucket())
                        .withBucketPath(d.bucketPath())
                        .withDataFiles(Collections.singletonList(f))
                        .rawConvertible(true)
                        .build();
        BitmapDeletionVector found = new BitmapDeletionVector();
        long[] position = {0};
        try (RecordReader<InternalRow> rows = t.newRead().createReader(one)) {
            rows.forEachRemaining(
                    row -> {
                        if (condition.test(row)) found.delete(position[0]);
                        position[0]++;
                    });
        }
        return found;
    }

    static SchemaChange change(JsonNode n) {
        String k = n.get(0).asText();
        switch (k) {
            case "set":
                return SchemaChange.setOption(n.get(1).asText(), n.get(2).asText());
            case "unset":
                return SchemaChange.removeOption(n.get(1).asText());
            case "comment":
                return SchemaChange.updateComment(n.get(1).isNull() ? null : n.get(1).asText());
            case "add":
                {
                    DataType t = Values.type(n.get(2));
                    String cm = n.size() > 3 && !n.get(3).isNull() ? n.get(3).asText() : null;
                    SchemaChange.Move mv = null;
                    if (n.size() > 4)
                        mv =
                                n.get(4).asText().equals("first")
                                        ? SchemaChange.Move.first(n.get(1).asText())
                                        : SchemaChange.Move.after(
                                                n.get(1).asText(), n.get(5).asText());
                    return SchemaChange.addColumn(n.get(1).asText(), t, cm, mv);
                }
            case "drop":
                return SchemaChange.dropColumn(n.get(1).asText());
            case "rename":
                return SchemaChange.renameColumn(n.get(1).asText(), n.get(2).asText());
            case "type":
                return SchemaChange.updateColumnType(n.get(1).asText(), Values.type(n.get(2)));
            case "nullable":
                return SchemaChange.updateColumnNullability(
                        n.get(1).asText(), n.get(2).asBoolean());
            case "colcomment":
                return SchemaChange.updateColumnComment(n.get(1).asText(), n.get(2).asText());
            case "first":
                return SchemaChange.updateColumnPosition(
                        SchemaChange.Move.first(n.get(1).asText()));
            case "after":
                return SchemaChange.updateColumnPosition(
                        SchemaChange.Move.after(n.get(1).asText(), n.get(2).asText()));
            default:
                throw new IllegalArgumentException(k);
        }
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    static void analyze(Catalog c, Identifier id, JsonNode op) throws Exception {
        FileStoreTable t = get(c, id, op);
        Snapshot s = t.snapshotManager().latestSnapshot();
        Map<String, ColStats<?>> cs = new LinkedHashMap<>();
        op.get("cols")
                .fields()
                .forEachRemaining(
                        e -> {
                            JsonNode n = e.getValue();
                            DataField f =
                                    t.rowType().getFields().stream()
                                            .filter(x -> x.name().equals(e.getKey()))
                                            .findFirst()
                                            .get();
                            cs.put(
                                    e.getKey(),
                                    ColStats.newColStats(
                                            f.id(),
                                            n.hasNonNull("distinct")
                                                    ? n.get("distinct").asLong()
                                                    : null,
                                            (Comparable) Values.from(n.get("min"), f.type()),
                                            (Comparable) Values.from(n.get("max"), f.type()),
                                            n.hasNonNull("nulls") ? n.get("nulls").asLong() : null,
                                            n.hasNonNull("avgLen")
                                                    ? n.get("avgLen").asLong()
                                                    : null,
                                            n.hasNonNull("maxLen")
                                                    ? n.get("maxLen").asLong()
                                                    : null));
                        });
        Statistics st =
                new Statistics(
                        s.id(),
                        s.schemaId(),
                        op.hasNonNull("mergedRecordCount")
                                ? op.get("mergedRecordCount").asLong()
                                : null,
                        op.hasNonNull("mergedRecordSize")
                                ? op.get("mergedRecordSize").asLong()
                                : null,
                        cs);
        FileStoreCommit fc = Internals.newCommit(t, "peer-analyzer");
        fc.commitStatistics(st, BatchWriteBuilder.COMMIT_IDENTIFIER);
        fc.close();
    }

    static void op(Catalog c, Identifier id, JsonNode op) throws Exception {
        String k = op.get("op").asText();
        FileStoreTable t;
        switch (k) {
            case "write":
                write(c, id, op);
                break;
            case "compact":
                compact(c, id, op);
                break;
            case "dvdelete":
                dvDelete(c, id, op);
                break;
            case "analyze":
                analyze(c, id, op);
                break;
            case "alter":
                {
                    List<SchemaChange> l = new ArrayList<>();
                    op.get("changes").forEach(x -> l.add(change(x)));
                    if (op.hasNonNull("branch"))
                        new SchemaManager(
                                        ((FileStoreTable) c.getTable(id)).fileIO(),
                                        ((FileStoreTable) c.getTable(id)).location(),
                                        op.get("branch").asText())
                                .commitChanges(l);
                    else c.alterTable(id, l, false);
                    break;
                }
            case "tag":
                {
                    t = get(c, id, op);
                    Long sid =
                            op.hasNonNull("snapshot")
                                    ? op.get("snapshot").asLong()
                                    : t.snapshotManager().latestSnapshotId();
                    if (op.hasNonNull("retained"))
                        t.createTag(
                                op.get("name").asText(),
                                sid,
                                Duration.parse(op.get("retained").asText()));
                    else t.createTag(op.get("name").asText(), sid);
                    break;
                }
            case "deltag":
                get(c, id, op).deleteTag(op.get("name").asText());
                break;
            case "mkbranch":
                t = get(c, id, op.deepCopy());
                if (op.hasNonNull("tag"))
                    t.createBranch(op.get("name").asText(), op.get("tag").asText());
                else t.createBranch(op.get("name").asText());
                break;
            case "rmbranch":
                get(c, id, op).deleteBranch(op.get("name").asText());
                break;
            case "fastforward":
                get(c, id, op).fastForward(op.get("name").asText());
                break;
            case "rollback":
                t = get(c, id, op);
                if (op.hasNonNull("tag")) t.rollbackTo(op.get("tag").asText());
                else t.rollbackTo(op.get("snapshot").asLong());
                break;
            case "consumer":
                {
                    t = get(c, id, op);
                    new ConsumerManager(t.fileIO(), t.location(), t.coreOptions().branch())
                            .resetConsumer(
                                    op.get("name").asText(), new Consumer(op.get("next").asLong()));
                    break;
                }
            case "expire":
                {
                    t = get(c, id, op);
                    ExpireConfig.Builder b =
                            ExpireConfig.builder()
                                    .snapshotRetainMin(op.get("retain").asInt())
                                    .snapshotRetainMax(op.get("retain").asInt())
                                    .snapshotTimeRetain(Duration.ofMillis(1))
                                    .snapshotMaxDeletes(100);
                    int cl =
                            op.hasNonNull("changelogRetain")
                                    ? op.get("changelogRetain").asInt()
                                    : op.get("retain").asInt();
                    b.changelogRetainMin(cl)
                            .changelogRetainMax(cl)
                            .changelogTimeRetain(
                                    op.hasNonNull("changelogRetain")
                                            ? Duration.ofDays(10000)
                                            : Duration.ofMillis(1))
                            .changelogMaxDeletes(100);
                    t.newExpireSnapshots().config(b.build()).expire();
                    if (op.has("expireChangelog"))
                        t.newExpireChangelog().config(b.build()).expire();
                    break;
                }
            case "droppartition":
                {
                    t = get(c, id, op);
                    FileStoreCommit fc = Internals.newCommit(t, "peer-dropper");
                    List<Map<String, String>> ps = new ArrayList<>();
                    op.get("partitions").forEach(p -> ps.add(Json.strMap(p)));
                    fc.dropPartitions(ps, BatchWriteBuilder.COMMIT_IDENTIFIER);
                    fc.close();
                    break;
                }
            case "truncate":
                {
                    t = get(c, id, op);
                    FileStoreCommit fc = Internals.newCommit(t, "peer-dropper");
                    fc.truncateTable(BatchWriteBuilder.COMMIT_IDENTIFIER);
                    fc.close();
                    break;
                }
            case "sleep":
                Thread.sleep(op.get("ms").asLong());
                break;
            default:
                throw new IllegalArgumentException(k);
        }
    }

    /** Carries out a description: how many tables {@code failed}, and what is {@code told} of them. */
    static ObjectNode write(Catalog c, JsonNode description) throws Exception {
        StringBuilder told = new StringBuilder();
        int failed = 0;
        for (JsonNode db : description.get("databases")) {
            String dn = db.get("name").asText();
            c.createDatabase(dn, true);
            for (JsonNode tn : db.get("tables")) {
                if (!carriesOut(c, Identifier.create(dn, tn.get("name").asText()), tn, told)) failed++;
            }
        }
        return Json.NODES.objectNode().put("failed", failed).put("told", told.toString());
    }

    private static boolean carriesOut(Catalog c, Identifier id, JsonNode tn, StringBuilder told) {
        String at = "create";
        try {
            if (!tn.path("exists").asBoolean()) c.createTable(id, schema(tn), false);
            int i = 0;
            for (JsonNode op : tn.get("ops")) {
                at = "operation " + (i++) + " " + op.get("op").asText();
                op(c, id, op);
            }
            return true;
        } catch (Throwable e) { // the next table may still succeed
            Throwable r = Dump.root(e);
            told.append("FAIL " + id.getFullName() + " at " + at + ": " + e + "\n   root: " + r + "\n");
            StackTraceElement[] st = r.getStackTrace();
            for (int j = 0; j < Math.min(6, st.length); j++) told.append("      " + st[j] + "\n");
            return false;
        }
    }

    private static Schema schema(JsonNode tn) {
        Schema.Builder b = Schema.newBuilder();
        for (JsonNode f : tn.get("fields"))
            b.column(
                    f.get(0).asText(),
                    Values.type(f.get(1)),
                    f.size() > 2 && !f.get(2).isNull() ? f.get(2).asText() : null);
        if (tn.has("partitionKeys")) b.partitionKeys(Json.strs(tn.get("partitionKeys")));
        if (tn.has("primaryKeys")) b.primaryKey(Json.strs(tn.get("primaryKeys")));
        b.options(Json.strMap(tn.get("options")));
        if (tn.hasNonNull("comment")) b.comment(tn.get("comment").asText());
        return b.build();
    }
}
