import org.apache.paimon.CoreOptions;
import org.apache.paimon.Snapshot;
import org.apache.paimon.append.UnawareAppendCompactionTask;
import org.apache.paimon.append.UnawareAppendTableCompactionCoordinator;
import org.apache.paimon.catalog.*;
import org.apache.paimon.consumer.Consumer;
import org.apache.paimon.consumer.ConsumerManager;
import org.apache.paimon.crosspartition.GlobalIndexAssigner;
import org.apache.paimon.crosspartition.IndexBootstrap;
import org.apache.paimon.data.*;
import org.apache.paimon.deletionvectors.BitmapDeletionVector;
import org.apache.paimon.deletionvectors.append.*;
import org.apache.paimon.disk.IOManager;
import org.apache.paimon.disk.IOManagerImpl;
import org.apache.paimon.index.*;
import org.apache.paimon.io.*;
import org.apache.paimon.manifest.*;
import org.apache.paimon.operation.*;
import org.apache.paimon.options.ExpireConfig;
import org.apache.paimon.options.Options;
import org.apache.paimon.predicate.Predicate;
import org.apache.paimon.predicate.PredicateBuilder;
import org.apache.paimon.reader.RecordReader;
import org.apache.paimon.schema.*;
import org.apache.paimon.stats.*;
import org.apache.paimon.table.*;
import org.apache.paimon.table.sink.*;
import org.apache.paimon.table.source.*;
import org.apache.paimon.table.system.*;
import org.apache.paimon.types.*;
import org.apache.paimon.utils.Pair;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.*;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.node.*;

import java.io.File;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.time.*;
import java.util.*;
import java.util.stream.*;

/** Drives real Paimon 0.9.0: "gen SPEC WAREHOUSE" and "dump WAREHOUSE OUTDIR [SPEC]". */
public class CorpusTool {
    static final ObjectMapper M = new ObjectMapper();
    static final JsonNodeFactory F = JsonNodeFactory.instance;
    static String tmpDir = System.getProperty("java.io.tmpdir") + "/corpus-io";

    // ------------------------------------------------------------------ values
    static Object from(JsonNode n, DataType t) {
        if (n == null || n.isNull()) return null;
        switch (t.getTypeRoot()) {
            case CHAR: case VARCHAR: return BinaryString.fromString(n.asText());
            case BOOLEAN: return n.asBoolean();
            case BINARY: case VARBINARY: return Base64.getDecoder().decode(n.asText());
            case DECIMAL: { DecimalType d = (DecimalType) t; return Decimal.fromBigDecimal(new BigDecimal(n.asText()), d.getPrecision(), d.getScale()); }
            case TINYINT: return (byte) n.asInt();
            case SMALLINT: return (short) n.asInt();
            case INTEGER: return n.asInt();
            case BIGINT: return n.asLong();
            case FLOAT: return n.isTextual() ? Float.parseFloat(n.asText()) : (float) n.asDouble();
            case DOUBLE: return n.isTextual() ? Double.parseDouble(n.asText()) : n.asDouble();
            case DATE: return (int) LocalDate.parse(n.asText()).toEpochDay();
            case TIME_WITHOUT_TIME_ZONE: return (int) (LocalTime.parse(n.asText()).toNanoOfDay() / 1_000_000L);
            case TIMESTAMP_WITHOUT_TIME_ZONE: return Timestamp.fromLocalDateTime(LocalDateTime.parse(n.asText()));
            case TIMESTAMP_WITH_LOCAL_TIME_ZONE: return Timestamp.fromInstant(Instant.parse(n.asText()));
            case ARRAY: { DataType e = ((ArrayType) t).getElementType(); Object[] a = new Object[n.size()]; for (int i = 0; i < a.length; i++) a[i] = from(n.get(i), e); return new GenericArray(a); }
            case MAP: { MapType m = (MapType) t; Map<Object, Object> r = new LinkedHashMap<>(); for (JsonNode kv : n) r.put(from(kv.get(0), m.getKeyType()), from(kv.get(1), m.getValueType())); return new GenericMap(r); }
            case MULTISET: { Map<Object, Object> r = new LinkedHashMap<>(); for (JsonNode kv : n) r.put(from(kv.get(0), ((MultisetType) t).getElementType()), kv.get(1).asInt()); return new GenericMap(r); }
            case ROW: { RowType rt = (RowType) t; GenericRow g = new GenericRow(rt.getFieldCount()); for (int i = 0; i < rt.getFieldCount(); i++) g.setField(i, from(n.get(rt.getFields().get(i).name()), rt.getTypeAt(i))); return g; }
            default: throw new IllegalArgumentException("" + t);
        }
    }

    static String frac(Timestamp ts, int p) {
        LocalDateTime l = ts.toLocalDateTime();
        String s = String.format("%s%sT%02d:%02d:%02d", l.getYear() > 9999 ? "+" : "", l.toLocalDate().toString().replaceFirst("^\\+", ""), l.getHour(), l.getMinute(), l.getSecond());
        if (p > 0) s += "." + String.format("%09d", l.getNano()).substring(0, p);
        return s;
    }

    static JsonNode to(Object o, DataType t) {
        if (o == null) return F.nullNode();
        switch (t.getTypeRoot()) {
            case CHAR: case VARCHAR: return F.textNode(o.toString());
            case BOOLEAN: return F.booleanNode((Boolean) o);
            case BINARY: case VARBINARY: return F.textNode(Base64.getEncoder().encodeToString((byte[]) o));
            case DECIMAL: return F.textNode(((Decimal) o).toBigDecimal().toPlainString());
            case TINYINT: return F.numberNode((byte) o);
            case SMALLINT: return F.numberNode((short) o);
            case INTEGER: return F.numberNode((int) o);
            case BIGINT: return F.numberNode((long) o);
            case FLOAT: { float f = (Float) o; return Float.isFinite(f) ? F.numberNode(f) : F.textNode(Float.toString(f)); }
            case DOUBLE: { double f = (Double) o; return Double.isFinite(f) ? F.numberNode(f) : F.textNode(Double.toString(f)); }
            case DATE: return F.textNode(LocalDate.ofEpochDay((int) o).toString());
            case TIME_WITHOUT_TIME_ZONE: { LocalTime l = LocalTime.ofNanoOfDay(((int) o) * 1_000_000L); return F.textNode(String.format("%02d:%02d:%02d.%03d", l.getHour(), l.getMinute(), l.getSecond(), l.getNano() / 1_000_000)); }
            case TIMESTAMP_WITHOUT_TIME_ZONE: return F.textNode(frac((Timestamp) o, ((TimestampType) t).getPrecision()));
            case TIMESTAMP_WITH_LOCAL_TIME_ZONE: return F.textNode(frac((Timestamp) o, ((LocalZonedTimestampType) t).getPrecision()) + "Z");
            case ARRAY: { DataType e = ((ArrayType) t).getElementType(); InternalArray a = (InternalArray) o; InternalArray.ElementGetter g = InternalArray.createElementGetter(e); ArrayNode r = F.arrayNode(); for (int i = 0; i < a.size(); i++) r.add(to(g.getElementOrNull(a, i), e)); return r; }
            case MAP: return mapNode((InternalMap) o, ((MapType) t).getKeyType(), ((MapType) t).getValueType());
            case MULTISET: return mapNode((InternalMap) o, ((MultisetType) t).getElementType(), new IntType());
            case ROW: { ObjectNode r = F.objectNode(); RowType rt = (RowType) t; for (int i = 0; i < rt.getFieldCount(); i++) r.set(rt.getFields().get(i).name(), field((InternalRow) o, rt.getTypeAt(i), i)); return r; }
            default: throw new IllegalArgumentException("" + t);
        }
    }

    static JsonNode mapNode(InternalMap m, DataType k, DataType v) {
        InternalArray ks = m.keyArray(), vs = m.valueArray();
        InternalArray.ElementGetter kg = InternalArray.createElementGetter(k), vg = InternalArray.createElementGetter(v);
        List<ArrayNode> l = new ArrayList<>();
        for (int i = 0; i < ks.size(); i++) { ArrayNode a = F.arrayNode(); a.add(to(kg.getElementOrNull(ks, i), k)); a.add(to(vg.getElementOrNull(vs, i), v)); l.add(a); }
        l.sort(Comparator.comparing(x -> x.get(0).toString()));
        ArrayNode r = F.arrayNode(); l.forEach(r::add); return r;
    }

    static JsonNode field(InternalRow r, DataType t, int i) { if (r.isNullAt(i)) return F.nullNode(); return to(InternalRow.createFieldGetter(t, i).getFieldOrNull(r), t); }

    static ArrayNode row(InternalRow r, RowType t) { ArrayNode a = F.arrayNode(); for (int i = 0; i < t.getFieldCount(); i++) a.add(field(r, t.getTypeAt(i), i)); return a; }

    static DataType type(JsonNode n) { return DataTypeJsonParser.parseDataType(n); }

    // --------------------------------------------------------------------- gen
    static Catalog catalog(String wh) {
        Options o = new Options(); o.set("warehouse", new File(wh).getAbsolutePath()); o.set("cache-enabled", "false");
        return CatalogFactory.createCatalog(CatalogContext.create(o));
    }

    static Map<String, String> strMap(JsonNode n) { Map<String, String> m = new LinkedHashMap<>(); if (n != null && !n.isNull()) n.fields().forEachRemaining(e -> m.put(e.getKey(), e.getValue().isNull() ? null : e.getValue().asText())); return m; }
    static String[] strs(JsonNode n) { List<String> l = new ArrayList<>(); if (n != null) n.forEach(x -> l.add(x.asText())); return l.toArray(new String[0]); }

    static Map<String, Long> ids = new HashMap<>();

    static FileStoreTable get(Catalog c, Identifier id, JsonNode op) throws Exception {
        FileStoreTable t = (FileStoreTable) c.getTable(id);
        if (op.hasNonNull("branch")) t = t.switchToBranch(op.get("branch").asText());
        if (op.has("options")) t = t.copyWithoutTimeTravel(strMap(op.get("options")));
        return t;
    }

    static GenericRow parseRow(JsonNode r, RowType rt) {
        RowKind k = RowKind.INSERT; int off = 0;
        String k0 = r.get(0).asText();
        for (RowKind kk : RowKind.values()) if (kk.shortString().equals(k0)) { k = kk; }
        off = 1;
        if (r.size() - 1 != rt.getFieldCount()) throw new IllegalArgumentException("arity " + r + " vs " + rt);
        GenericRow g = new GenericRow(k, rt.getFieldCount());
        for (int i = 0; i < rt.getFieldCount(); i++) g.setField(i, from(r.get(i + off), rt.getTypeAt(i)));
        return g;
    }

    static long nextId(String user, Identifier id, JsonNode op) {
        if (op.hasNonNull("id")) return op.get("id").isTextual() ? BatchWriteBuilder.COMMIT_IDENTIFIER : op.get("id").asLong();
        String key = user + "/" + id + "/" + (op.hasNonNull("branch") ? op.get("branch").asText() : "");
        return ids.merge(key, 1L, Long::sum);
    }

    static void commit(FileStoreTable t, String user, long cid, List<CommitMessage> msgs, JsonNode op) throws Exception {
        try (TableCommitImpl cm = t.newCommit(user)) {
            if (op.has("overwrite")) cm.withOverwrite(strMap(op.get("overwrite")));
            if (op.has("allowEmpty")) cm.ignoreEmptyCommit(false);
            ManifestCommittable mc = op.hasNonNull("watermark") ? new ManifestCommittable(cid, op.get("watermark").asLong()) : new ManifestCommittable(cid);
            msgs.forEach(mc::addFileCommittable);
            if (op.has("logOffsets")) op.get("logOffsets").fields().forEachRemaining(e -> mc.addLogOffset(Integer.parseInt(e.getKey()), e.getValue().asLong()));
            cm.commit(mc);
        }
    }

    static Set<Pair<BinaryRow, Integer>> buckets(FileStoreTable t) {
        Set<Pair<BinaryRow, Integer>> s = new LinkedHashSet<>();
        for (Split sp : t.newSnapshotReader().read().splits()) { DataSplit d = (DataSplit) sp; s.add(Pair.of(d.partition(), d.bucket())); }
        // level-0-only buckets of deletion-vector tables are not planned by the reader
        for (ManifestEntry e : t.store().newScan().plan().files()) s.add(Pair.of(e.partition(), e.bucket()));
        return s;
    }

    static void write(Catalog c, Identifier id, JsonNode op) throws Exception {
        FileStoreTable t = get(c, id, op);
        String user = op.hasNonNull("user") ? op.get("user").asText() : "corpus-writer";
        long cid = nextId(user, id, op);
        RowType rt = t.rowType();
        IOManager io = new IOManagerImpl(tmpDir);
        TableWriteImpl<?> w = t.newWrite(user);
        w.withIOManager(io);
        if (op.has("overwrite")) w.withIgnorePreviousFiles(true);
        List<CommitMessage> msgs;
        if (t.bucketMode() == BucketMode.HASH_DYNAMIC) {
            RowPartitionKeyExtractor ex = new RowPartitionKeyExtractor(t.schema());
            HashBucketAssigner asg = new HashBucketAssigner(t.snapshotManager(), user, t.store().newIndexFileHandler(), 1, 1, 0, t.coreOptions().dynamicBucketTargetRowNum());
            for (JsonNode r : op.get("rows")) {
                GenericRow g = parseRow(r, rt);
                w.write(g, asg.assign(ex.partition(g), ex.trimmedPrimaryKey(g).hashCode()));
            }
        } else if (t.bucketMode() == BucketMode.CROSS_PARTITION) {
            GlobalIndexAssigner ga = new GlobalIndexAssigner(t);
            ga.open(16L << 20, io, 1, 0, (r, b) -> { try { w.write(r, b); } catch (Exception e) { throw new RuntimeException(e); } });
            new IndexBootstrap(t).bootstrap(1, 0, r -> { try { ga.bootstrapKey(r); } catch (Exception e) { throw new RuntimeException(e); } });
            ga.endBoostrap(false);
            for (JsonNode r : op.get("rows")) ga.processInput(parseRow(r, rt));
            ga.close();
        } else {
            for (JsonNode r : op.get("rows")) w.write(parseRow(r, rt));
        }
        if (op.hasNonNull("compact")) {
            boolean full = op.get("compact").asText().equals("full");
            Set<Pair<BinaryRow, Integer>> bs = buckets(t);
            for (JsonNode r : op.get("rows")) if (t.bucketMode() == BucketMode.HASH_FIXED) { GenericRow g = parseRow(r, rt); bs.add(Pair.of(w.getPartition(g).copy(), w.getBucket(g))); }
            for (Pair<BinaryRow, Integer> b : bs) w.compact(b.getLeft(), b.getRight(), full);
        }
        msgs = w.prepareCommit(true, cid);
        commit(t, user, cid, msgs, op);
        w.close();
        io.close();
    }

    static void compact(Catalog c, Identifier id, JsonNode op) throws Exception {
        FileStoreTable t = get(c, id, op).copyWithoutTimeTravel(Collections.singletonMap("write-only", "false"));
        String user = op.hasNonNull("user") ? op.get("user").asText() : "corpus-compactor";
        long cid = nextId(user, id, op);
        List<CommitMessage> msgs = new ArrayList<>();
        if (t.bucketMode() == BucketMode.BUCKET_UNAWARE) {
            AppendOnlyFileStoreWrite aw = (AppendOnlyFileStoreWrite) t.store().newWrite(user);
            aw.withIOManager(new IOManagerImpl(tmpDir));
            for (UnawareAppendCompactionTask task : new UnawareAppendTableCompactionCoordinator(t, false).run()) msgs.add(task.doCompact(t, aw));
            aw.close();
        } else {
            TableWriteImpl<?> w = t.newWrite(user);
            w.withIOManager(new IOManagerImpl(tmpDir));
            boolean full = !op.has("full") || op.get("full").asBoolean();
            Set<Integer> only = null;
            if (op.has("buckets")) { only = new HashSet<>(); for (JsonNode b : op.get("buckets")) only.add(b.asInt()); }
            RowType pt = t.schema().logicalPartitionType();
            for (Pair<BinaryRow, Integer> b : buckets(t)) {
                if (only != null && !only.contains(b.getRight())) continue;
                if (op.has("partition") && !op.get("partition").equals(row(b.getLeft(), pt))) continue;
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
        String user = op.hasNonNull("user") ? op.get("user").asText() : "corpus-deleter";
        long cid = nextId(user, id, op);
        Set<String> vals = new HashSet<>(); op.get("in").forEach(v -> vals.add(v.toString()));
        int col = t.rowType().getFieldNames().indexOf(op.get("col").asText());
        IndexFileHandler h = t.store().newIndexFileHandler();
        Long sid = t.snapshotManager().latestSnapshotId();
        Map<Pair<BinaryRow, Integer>, AppendDeletionFileMaintainer> ms = new LinkedHashMap<>();
        for (Split s : t.newSnapshotReader().read().splits()) {
            DataSplit d = (DataSplit) s;
            AppendDeletionFileMaintainer m = ms.computeIfAbsent(Pair.of(d.partition(), d.bucket()), k ->
                    t.bucketMode() == BucketMode.BUCKET_UNAWARE ? AppendDeletionFileMaintainer.forUnawareAppend(h, sid, d.partition())
                            : AppendDeletionFileMaintainer.forBucketedAppend(h, sid, d.partition(), d.bucket()));
            for (DataFileMeta f : d.dataFiles()) {
                DataSplit one = DataSplit.builder().withSnapshot(d.snapshotId()).withPartition(d.partition()).withBucket(d.bucket()).withBucketPath(d.bucketPath()).withDataFiles(Collections.singletonList(f)).rawConvertible(true).build();
                BitmapDeletionVector dv = new BitmapDeletionVector();
                long[] pos = {0};
                try (RecordReader<InternalRow> r = t.newRead().createReader(one)) {
                    r.forEachRemaining(x -> { if (vals.contains(field(x, t.rowType().getTypeAt(col), col).toString())) dv.delete(pos[0]); pos[0]++; });
                }
                if (!dv.isEmpty()) m.notifyNewDeletionVector(f.fileName(), dv);
            }
        }
        List<CommitMessage> msgs = new ArrayList<>();
        for (AppendDeletionFileMaintainer m : ms.values()) {
            List<IndexManifestEntry> es = m.persist();
            if (es.isEmpty()) continue;
            List<IndexFileMeta> add = new ArrayList<>(), del = new ArrayList<>();
            for (IndexManifestEntry e : es) (e.kind() == FileKind.ADD ? add : del).add(e.indexFile());
            msgs.add(new CommitMessageImpl(m.getPartition(), m.getBucket(), DataIncrement.emptyIncrement(), CompactIncrement.emptyIncrement(), new IndexIncrement(add, del)));
        }
        commit(t, user, cid, msgs, op);
    }

    static SchemaChange change(JsonNode n) {
        String k = n.get(0).asText();
        switch (k) {
            case "set": return SchemaChange.setOption(n.get(1).asText(), n.get(2).asText());
            case "unset": return SchemaChange.removeOption(n.get(1).asText());
            case "comment": return SchemaChange.updateComment(n.get(1).isNull() ? null : n.get(1).asText());
            case "add": {
                DataType t = type(n.get(2)); String cm = n.size() > 3 && !n.get(3).isNull() ? n.get(3).asText() : null;
                SchemaChange.Move mv = null;
                if (n.size() > 4) mv = n.get(4).asText().equals("first") ? SchemaChange.Move.first(n.get(1).asText()) : SchemaChange.Move.after(n.get(1).asText(), n.get(5).asText());
                return SchemaChange.addColumn(n.get(1).asText(), t, cm, mv);
            }
            case "drop": return SchemaChange.dropColumn(n.get(1).asText());
            case "rename": return SchemaChange.renameColumn(n.get(1).asText(), n.get(2).asText());
            case "type": return SchemaChange.updateColumnType(n.get(1).asText(), type(n.get(2)));
            case "nullable": return SchemaChange.updateColumnNullability(n.get(1).asText(), n.get(2).asBoolean());
            case "colcomment": return SchemaChange.updateColumnComment(n.get(1).asText(), n.get(2).asText());
            case "first": return SchemaChange.updateColumnPosition(SchemaChange.Move.first(n.get(1).asText()));
            case "after": return SchemaChange.updateColumnPosition(SchemaChange.Move.after(n.get(1).asText(), n.get(2).asText()));
            default: throw new IllegalArgumentException(k);
        }
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    static void analyze(Catalog c, Identifier id, JsonNode op) throws Exception {
        FileStoreTable t = get(c, id, op);
        Snapshot s = t.snapshotManager().latestSnapshot();
        Map<String, ColStats<?>> cs = new LinkedHashMap<>();
        op.get("cols").fields().forEachRemaining(e -> {
            JsonNode n = e.getValue();
            DataField f = t.rowType().getFields().stream().filter(x -> x.name().equals(e.getKey())).findFirst().get();
            cs.put(e.getKey(), ColStats.newColStats(f.id(), n.hasNonNull("distinct") ? n.get("distinct").asLong() : null,
                    (Comparable) from(n.get("min"), f.type()), (Comparable) from(n.get("max"), f.type()),
                    n.hasNonNull("nulls") ? n.get("nulls").asLong() : null, n.hasNonNull("avgLen") ? n.get("avgLen").asLong() : null, n.hasNonNull("maxLen") ? n.get("maxLen").asLong() : null));
        });
        Statistics st = new Statistics(s.id(), s.schemaId(), op.hasNonNull("mergedRecordCount") ? op.get("mergedRecordCount").asLong() : null, op.hasNonNull("mergedRecordSize") ? op.get("mergedRecordSize").asLong() : null, cs);
        FileStoreCommit fc = t.store().newCommit("corpus-analyzer");
        fc.commitStatistics(st, BatchWriteBuilder.COMMIT_IDENTIFIER);
        fc.close();
    }

    static void op(Catalog c, Identifier id, JsonNode op) throws Exception {
        String k = op.get("op").asText();
        FileStoreTable t;
        switch (k) {
            case "write": write(c, id, op); break;
            case "compact": compact(c, id, op); break;
            case "dvdelete": dvDelete(c, id, op); break;
            case "analyze": analyze(c, id, op); break;
            case "alter": { List<SchemaChange> l = new ArrayList<>(); op.get("changes").forEach(x -> l.add(change(x)));
                if (op.hasNonNull("branch")) new SchemaManager(((FileStoreTable) c.getTable(id)).fileIO(), ((FileStoreTable) c.getTable(id)).location(), op.get("branch").asText()).commitChanges(l);
                else c.alterTable(id, l, false); break; }
            case "tag": {
                t = get(c, id, op); Long sid = op.hasNonNull("snapshot") ? op.get("snapshot").asLong() : t.snapshotManager().latestSnapshotId();
                if (op.hasNonNull("retained")) t.createTag(op.get("name").asText(), sid, Duration.parse(op.get("retained").asText())); else t.createTag(op.get("name").asText(), sid);
                break; }
            case "deltag": get(c, id, op).deleteTag(op.get("name").asText()); break;
            case "mkbranch": t = get(c, id, op.deepCopy()); if (op.hasNonNull("tag")) t.createBranch(op.get("name").asText(), op.get("tag").asText()); else t.createBranch(op.get("name").asText()); break;
            case "fastforward": get(c, id, op).fastForward(op.get("name").asText()); break;
            case "rollback": t = get(c, id, op); if (op.hasNonNull("tag")) t.rollbackTo(op.get("tag").asText()); else t.rollbackTo(op.get("snapshot").asLong()); break;
            case "consumer": { t = get(c, id, op); new ConsumerManager(t.fileIO(), t.location(), t.coreOptions().branch()).resetConsumer(op.get("name").asText(), new Consumer(op.get("next").asLong())); break; }
            case "expire": {
                t = get(c, id, op);
                ExpireConfig.Builder b = ExpireConfig.builder().snapshotRetainMin(op.get("retain").asInt()).snapshotRetainMax(op.get("retain").asInt()).snapshotTimeRetain(Duration.ofMillis(1)).snapshotMaxDeletes(100);
                int cl = op.hasNonNull("changelogRetain") ? op.get("changelogRetain").asInt() : op.get("retain").asInt();
                b.changelogRetainMin(cl).changelogRetainMax(cl).changelogTimeRetain(op.hasNonNull("changelogRetain") ? Duration.ofDays(10000) : Duration.ofMillis(1)).changelogMaxDeletes(100);
                t.newExpireSnapshots().config(b.build()).expire();
                if (op.has("expireChangelog")) t.newExpireChangelog().config(b.build()).expire();
                break; }
            case "droppartition": { t = get(c, id, op); FileStoreCommit fc = t.store().newCommit("corpus-dropper"); List<Map<String, String>> ps = new ArrayList<>(); op.get("partitions").forEach(p -> ps.add(strMap(p))); fc.dropPartitions(ps, BatchWriteBuilder.COMMIT_IDENTIFIER); fc.close(); break; }
            case "truncate": { t = get(c, id, op); FileStoreCommit fc = t.store().newCommit("corpus-dropper"); fc.truncateTable(BatchWriteBuilder.COMMIT_IDENTIFIER); fc.close(); break; }
            case "sleep": Thread.sleep(op.get("ms").asLong()); break;
            default: throw new IllegalArgumentException(k);
        }
    }

    static void gen(String spec, String wh) throws Exception {
        JsonNode root = M.readTree(new File(spec));
        Catalog c = catalog(wh);
        int bad = 0, n = 0;
        for (JsonNode db : root.get("databases")) {
            String dn = db.get("name").asText();
            c.createDatabase(dn, true);
            for (JsonNode tn : db.get("tables")) {
                Identifier id = Identifier.create(dn, tn.get("name").asText());
                String at = "create";
                try {
                    org.apache.paimon.schema.Schema.Builder b = org.apache.paimon.schema.Schema.newBuilder();
                    for (JsonNode f : tn.get("fields")) b.column(f.get(0).asText(), type(f.get(1)), f.size() > 2 && !f.get(2).isNull() ? f.get(2).asText() : null);
                    if (tn.has("partitionKeys")) b.partitionKeys(strs(tn.get("partitionKeys")));
                    if (tn.has("primaryKeys")) b.primaryKey(strs(tn.get("primaryKeys")));
                    b.options(strMap(tn.get("options")));
                    if (tn.hasNonNull("comment")) b.comment(tn.get("comment").asText());
                    if (!tn.path("exists").asBoolean()) c.createTable(id, b.build(), false);
                    int i = 0;
                    for (JsonNode op : tn.get("ops")) { at = "operation " + (i++) + " " + op.get("op").asText(); op(c, id, op); }
                    n++;
                } catch (Throwable e) {
                    bad++;
                    System.out.println("FAIL " + id.getFullName() + " at " + at + ": " + e);
                    Throwable r = e; while (r.getCause() != null) r = r.getCause();
                    System.out.println("   root: " + r);
                    StackTraceElement[] st = r.getStackTrace(); for (int j = 0; j < Math.min(6, st.length); j++) System.out.println("      " + st[j]);
                }
            }
        }
        c.close();
        System.out.println("generated " + n + " tables, " + bad + " failed");
        if (bad > 0) System.exit(1);
    }

    // -------------------------------------------------------------------- dump
    static ObjectNode err(Throwable e) {
        Throwable r = e; while (r.getCause() != null) r = r.getCause();
        ObjectNode o = F.objectNode(); o.put("error", r.getClass().getSimpleName() + ": " + r.getMessage()); return o;
    }

    static ObjectNode read(Table t, Predicate p, boolean kinds, boolean sort) throws Exception {
        ObjectNode o = F.objectNode();
        RowType rt = t.rowType();
        ArrayNode cols = F.arrayNode(); rt.getFieldNames().forEach(cols::add);
        ReadBuilder rb = t.newReadBuilder();
        if (p != null) rb.withFilter(p);
        List<Split> splits = rb.newScan().plan().splits();
        TableRead tr = rb.newRead();
        if (p != null) tr = tr.executeFilter();
        tr.withIOManager(new IOManagerImpl(tmpDir));
        List<String> lines = new ArrayList<>();
        try (RecordReader<InternalRow> r = tr.createReader(splits)) {
            r.forEachRemaining(x -> { ArrayNode a = row(x, rt); if (kinds) a.insert(0, x.getRowKind().shortString()); lines.add(a.toString()); });
        }
        if (sort) Collections.sort(lines);
        ArrayNode rows = F.arrayNode(); for (String s : lines) rows.add(M.readTree(s));
        o.set("columns", cols); o.set("rows", rows);
        return o;
    }

    static ObjectNode safeRead(java.util.concurrent.Callable<Table> t, boolean kinds, boolean sort) {
        try { return read(t.call(), null, kinds, sort); } catch (Throwable e) { return err(e); }
    }

    static ObjectNode schemaNode(TableSchema s) {
        ObjectNode o = F.objectNode();
        o.put("id", s.id()); ArrayNode fs = F.arrayNode();
        for (DataField f : s.fields()) { ObjectNode n = F.objectNode(); n.put("id", f.id()); n.put("name", f.name()); n.put("type", f.type().asSQLString()); if (f.description() != null) n.put("description", f.description()); fs.add(n); }
        o.set("fields", fs); o.put("highestFieldId", s.highestFieldId());
        o.set("partitionKeys", M.valueToTree(s.partitionKeys())); o.set("primaryKeys", M.valueToTree(s.primaryKeys())); o.set("options", M.valueToTree(new TreeMap<>(s.options()))); o.put("comment", s.comment()); o.put("timeMillis", s.timeMillis());
        return o;
    }

    static ObjectNode stats(SimpleStats s, RowType t) {
        ObjectNode o = F.objectNode();
        try { o.set("min", s.minValues().getFieldCount() == t.getFieldCount() ? row(s.minValues(), t) : F.nullNode()); o.set("max", s.maxValues().getFieldCount() == t.getFieldCount() ? row(s.maxValues(), t) : F.nullNode()); }
        catch (Throwable e) { o.put("error", "" + e); }
        ArrayNode nc = F.arrayNode();
        if (s.nullCounts() != null) for (int i = 0; i < s.nullCounts().size(); i++) { if (s.nullCounts().isNullAt(i)) nc.addNull(); else nc.add(s.nullCounts().getLong(i)); }
        o.set("nullCounts", nc);
        return o;
    }

    static ObjectNode metadata(FileStoreTable t) throws Exception {
        ObjectNode out = F.objectNode();
        ObjectNode lists = F.objectNode(), files = F.objectNode(), idx = F.objectNode(), snaps = F.objectNode();
        RowType pt = t.schema().logicalPartitionType();
        Map<String, Snapshot> all = new TreeMap<>();
        for (Iterator<Snapshot> it = t.snapshotManager().snapshots(); it.hasNext();) { Snapshot s = it.next(); all.put(String.format("%06d", s.id()), s); }
        for (Pair<org.apache.paimon.tag.Tag, String> p : t.tagManager().tagObjects()) all.put("tag-" + p.getRight(), p.getLeft().trimToSnapshot());
        SchemaManager sm = new SchemaManager(t.fileIO(), t.location(), t.coreOptions().branch());
        Set<String> seenL = new LinkedHashSet<>(), seenI = new LinkedHashSet<>();
        for (Map.Entry<String, Snapshot> e : all.entrySet()) {
            Snapshot s = e.getValue();
            seenL.add(s.baseManifestList()); seenL.add(s.deltaManifestList()); if (s.changelogManifestList() != null) seenL.add(s.changelogManifestList());
            if (s.indexManifest() != null) seenI.add(s.indexManifest());
        }
        Set<String> seenM = new LinkedHashSet<>();
        for (String l : seenL) {
            ArrayNode a = F.arrayNode();
            for (ManifestFileMeta m : t.manifestListReader().read(l)) {
                ObjectNode o = F.objectNode(); o.put("file", m.fileName()); o.put("size", m.fileSize()); o.put("added", m.numAddedFiles()); o.put("deleted", m.numDeletedFiles()); o.put("schemaId", m.schemaId()); o.set("partitionStats", stats(m.partitionStats(), pt)); a.add(o); seenM.add(m.fileName());
            }
            lists.set(l, a);
        }
        for (String m : seenM) {
            ArrayNode a = F.arrayNode();
            for (ManifestEntry me : t.manifestFileReader().read(m)) {
                DataFileMeta f = me.file(); ObjectNode o = F.objectNode();
                o.put("kind", me.kind().name()); o.set("partition", row(me.partition(), pt)); o.put("bucket", me.bucket()); o.put("totalBuckets", me.totalBuckets());
                o.put("file", f.fileName());
                if (me.kind() == FileKind.ADD) {
                    TableSchema sch = sm.schema(f.schemaId());
                    RowType kt = t.primaryKeys().isEmpty() ? RowType.of() : sch.logicalTrimmedPrimaryKeysType();
                    o.put("level", f.level()); o.put("size", f.fileSize()); o.put("rows", f.rowCount()); o.put("minSeq", f.minSequenceNumber()); o.put("maxSeq", f.maxSequenceNumber()); o.put("schemaId", f.schemaId());
                    f.deleteRowCount().ifPresent(x -> o.put("deleteRows", x)); f.fileSource().ifPresent(x -> o.put("source", x.name()));
                    if (!f.extraFiles().isEmpty()) o.set("extraFiles", M.valueToTree(f.extraFiles()));
                    if (f.embeddedIndex() != null) o.put("embeddedIndex", Base64.getEncoder().encodeToString(f.embeddedIndex()));
                    o.put("creationTime", frac(f.creationTime(), 3));
                    if (!t.primaryKeys().isEmpty()) { o.set("minKey", row(f.minKey(), kt)); o.set("maxKey", row(f.maxKey(), kt)); }
                    o.set("valueStats", stats(f.valueStats(), sch.logicalRowType()));
                }
                a.add(o);
            }
            files.set(m, a);
        }
        IndexFileHandler h = t.store().newIndexFileHandler();
        ObjectNode contents = F.objectNode();
        for (String i : seenI) {
            ArrayNode a = F.arrayNode();
            for (IndexManifestEntry me : h.readManifest(i)) {
                IndexFileMeta f = me.indexFile(); ObjectNode o = F.objectNode();
                o.put("kind", me.kind().name()); o.set("partition", row(me.partition(), pt)); o.put("bucket", me.bucket()); o.put("indexType", f.indexType()); o.put("file", f.fileName()); o.put("size", f.fileSize()); o.put("rows", f.rowCount());
                if (f.deletionVectorsRanges() != null) { ObjectNode r = F.objectNode(); f.deletionVectorsRanges().forEach((k, v) -> { ArrayNode x = F.arrayNode(); x.add(v.getLeft()); x.add(v.getRight()); r.set(k, x); }); o.set("deletionVectorsRanges", r); }
                a.add(o);
                if (!contents.has(f.fileName())) {
                    try {
                        if (f.indexType().equals("HASH")) contents.set(f.fileName(), M.valueToTree(h.readHashIndexList(f)));
                        else {
                            ObjectNode r = F.objectNode();
                            h.readAllDeletionVectors(Collections.singletonList(f)).forEach((k, v) -> {
                                ArrayNode x = F.arrayNode(); for (int p = 0; p < 100000; p++) if (v.isDeleted(p)) x.add(p); r.set(k, x); });
                            contents.set(f.fileName(), r);
                        }
                    } catch (Throwable e) { contents.set(f.fileName(), err(e)); }
                }
            }
            idx.set(i, a);
        }
        out.set("manifestLists", lists); out.set("manifests", files); out.set("indexManifests", idx); out.set("indexFiles", contents);
        return out;
    }

    static ArrayNode plan(Table t, Predicate p) throws Exception {
        RowType pt = ((FileStoreTable) t).schema().logicalPartitionType();
        ReadBuilder rb = t.newReadBuilder(); if (p != null) rb.withFilter(p);
        List<String> l = new ArrayList<>();
        for (Split s : rb.newScan().plan().splits()) {
            DataSplit d = (DataSplit) s; ObjectNode o = F.objectNode();
            o.set("partition", row(d.partition(), pt)); o.put("bucket", d.bucket()); o.put("rawConvertible", d.rawConvertible());
            ArrayNode fs = F.arrayNode(); d.dataFiles().forEach(f -> fs.add(f.fileName())); o.set("files", fs);
            d.deletionFiles().ifPresent(df -> { ArrayNode x = F.arrayNode(); for (DeletionFile q : df) { if (q == null) x.addNull(); else { ObjectNode z = F.objectNode(); z.put("path", q.path()); z.put("offset", q.offset()); z.put("length", q.length()); x.add(z); } } o.set("deletionFiles", x); });
            l.add(o.toString());
        }
        Collections.sort(l); ArrayNode a = F.arrayNode(); for (String s : l) a.add(M.readTree(s)); return a;
    }

    static Predicate pred(RowType rt, JsonNode where) {
        PredicateBuilder pb = new PredicateBuilder(rt); List<Predicate> ps = new ArrayList<>();
        for (JsonNode w : where) {
            int i = rt.getFieldNames().indexOf(w.get(0).asText()); DataType t = rt.getTypeAt(i); String op = w.get(1).asText(); JsonNode v = w.get(2);
            switch (op) {
                case "=": ps.add(pb.equal(i, from(v, t))); break;
                case "!=": ps.add(pb.notEqual(i, from(v, t))); break;
                case "<": ps.add(pb.lessThan(i, from(v, t))); break;
                case "<=": ps.add(pb.lessOrEqual(i, from(v, t))); break;
                case ">": ps.add(pb.greaterThan(i, from(v, t))); break;
                case ">=": ps.add(pb.greaterOrEqual(i, from(v, t))); break;
                case "in": { List<Object> l = new ArrayList<>(); v.forEach(x -> l.add(from(x, t))); ps.add(pb.in(i, l)); break; }
                case "null": ps.add(pb.isNull(i)); break;
                case "notnull": ps.add(pb.isNotNull(i)); break;
                case "startsWith": ps.add(pb.startsWith(i, from(v, t))); break;
                default: throw new IllegalArgumentException(op);
            }
        }
        return PredicateBuilder.and(ps);
    }

    static ObjectNode system(FileStoreTable t) {
        ObjectNode sys = F.objectNode();
        for (String n : new TreeSet<>(SystemTableLoader.SYSTEM_TABLES)) {
            boolean data = n.equals("audit_log") || n.equals("ro");
            sys.set(n, safeRead(() -> SystemTableLoader.load(n, t), false, data));
        }
        return sys;
    }

    static void dump(String wh, String out, String spec) throws Exception {
        Catalog c = catalog(wh);
        JsonNode root = spec == null ? null : M.readTree(new File(spec));
        Files.createDirectories(Paths.get(out));
        ObjectNode w = F.objectNode(); ObjectNode dbs = F.objectNode();
        int n = 0;
        for (String db : new TreeSet<>(c.listDatabases())) {
            List<String> ts = new ArrayList<>(c.listTables(db)); Collections.sort(ts);
            dbs.set(db, M.valueToTree(ts));
            for (String tn : ts) {
                ObjectNode o = F.objectNode(); o.put("table", db + "." + tn); o.put("path", db + ".db/" + tn);
                JsonNode ts0 = null;
                if (root != null) for (JsonNode d : root.get("databases")) if (d.get("name").asText().equals(db)) for (JsonNode x : d.get("tables")) if (x.get("name").asText().equals(tn)) ts0 = x;
                try {
                    Identifier id = Identifier.create(db, tn);
                    FileStoreTable t = (FileStoreTable) c.getTable(id);
                    o.put("bucketMode", t.bucketMode().name());
                    o.set("schema", schemaNode(t.schema()));
                    Long latest = t.snapshotManager().latestSnapshotId();
                    o.put("latestSnapshotId", latest); o.put("earliestSnapshotId", t.snapshotManager().earliestSnapshotId());
                    boolean light = ts0 != null && ts0.has("light");
                    o.set("latest", safeRead(() -> t, false, true));
                    try { o.set("plan", plan(t, null)); } catch (Throwable e) { o.set("plan", err(e)); }
                    ObjectNode sn = F.objectNode(), ch = F.objectNode();
                    List<Snapshot> ss = new ArrayList<>(); for (Iterator<Snapshot> it = t.snapshotManager().snapshots(); it.hasNext();) ss.add(it.next());
                    ss.sort(Comparator.comparingLong(Snapshot::id));
                    for (Snapshot s : ss) {
                        if (!light) sn.set("" + s.id(), safeRead(() -> t.copy(Collections.singletonMap("scan.snapshot-id", "" + s.id())), false, true));
                        if (!light) {
                            ObjectNode x = F.objectNode();
                            for (String mode : new String[]{"delta", "changelog"}) {
                                if (mode.equals("changelog") && s.changelogManifestList() == null) continue;
                                Map<String, String> m = new HashMap<>(); m.put("incremental-between", (s.id() - 1) + "," + s.id()); m.put("incremental-between-scan-mode", mode);
                                x.set(mode, safeRead(() -> new AuditLogTable(((FileStoreTable) c.getTable(id)).copy(m)), false, true));
                            }
                            ch.set("" + s.id(), x);
                        }
                    }
                    if (!light) { o.set("atSnapshot", sn); o.set("changesOfSnapshot", ch); }
                    ObjectNode tg = F.objectNode();
                    for (Pair<org.apache.paimon.tag.Tag, String> p : t.tagManager().tagObjects()) { ObjectNode x = safeRead(() -> t.copy(Collections.singletonMap("scan.tag-name", p.getRight())), false, true); x.put("snapshotId", p.getLeft().id()); tg.set(p.getRight(), x); }
                    o.set("atTag", tg);
                    ObjectNode br = F.objectNode();
                    for (String b : new TreeSet<>(t.branchManager().branches())) {
                        ObjectNode x = F.objectNode();
                        try { FileStoreTable bt = t.switchToBranch(b); x.set("schema", schemaNode(bt.schema())); x.put("latestSnapshotId", bt.snapshotManager().latestSnapshotId()); x.set("latest", safeRead(() -> bt, false, true)); x.set("system", system(bt)); x.set("metadata", metadata(bt)); } catch (Throwable e) { x.setAll(err(e)); }
                        br.set(b, x);
                    }
                    o.set("branches", br);
                    o.set("system", system(t));
                    if (ts0 != null && ts0.has("queries")) {
                        ArrayNode qs = F.arrayNode();
                        for (JsonNode q : ts0.get("queries")) {
                            ObjectNode x = F.objectNode(); x.set("where", q);
                            try { Predicate p = pred(t.rowType(), q); ArrayNode pl = plan(t, p); TreeSet<String> fs = new TreeSet<>(); pl.forEach(s -> s.get("files").forEach(f -> fs.add(f.asText()))); x.set("plannedFiles", M.valueToTree(fs)); x.set("rows", read(t, p, false, true).get("rows")); } catch (Throwable e) { x.setAll(err(e)); }
                            qs.add(x);
                        }
                        o.set("queries", qs);
                    }
                    try { o.set("metadata", metadata(t)); } catch (Throwable e) { o.set("metadata", err(e)); }
                    n++;
                } catch (Throwable e) { o.setAll(err(e)); }
                String s = M.writerWithDefaultPrettyPrinter().writeValueAsString(o);
                write(out + "/" + db + "." + tn + ".json", o, wh);
            }
        }
        w.set("databases", dbs);
        ObjectNode sys = F.objectNode();
        for (String g : new String[]{"all_table_options", "catalog_options"}) sys.set(g, safeRead(() -> c.getTable(new Identifier("sys", g)), false, true));
        w.set("sys", sys);
        write(out + "/_warehouse.json", w, wh);
        System.out.println("dumped " + n + " tables");
    }

    static void write(String path, JsonNode o, String wh) throws Exception {
        String abs = new File(wh).getAbsolutePath();
        String s = o.toString().replace("file:" + abs, "${WAREHOUSE}").replace(abs, "${WAREHOUSE}");
        Files.write(Paths.get(path), s.getBytes(StandardCharsets.UTF_8));
    }

    public static void main(String[] a) throws Exception {
        TimeZone.setDefault(TimeZone.getTimeZone("UTC"));
        new File(tmpDir).mkdirs();
        if (a[0].equals("gen")) gen(a[1], a[2]);
        else dump(a[1], a[2], a.length > 3 ? a[3] : null);
        System.exit(0);
    }
}
