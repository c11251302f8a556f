import org.apache.paimon.Snapshot;
import org.apache.paimon.catalog.Catalog;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.disk.IOManagerImpl;
import org.apache.paimon.reader.RecordReader;
import org.apache.paimon.schema.TableSchema;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.node.ArrayNode;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.Table;
import org.apache.paimon.table.source.DataSplit;
import org.apache.paimon.table.source.DeletionFile;
import org.apache.paimon.table.source.ReadBuilder;
import org.apache.paimon.table.source.Split;
import org.apache.paimon.table.source.TableRead;
import org.apache.paimon.table.system.AuditLogTable;
import org.apache.paimon.table.system.SystemTableLoader;
import org.apache.paimon.tag.Tag;
import org.apache.paimon.types.DataField;
import org.apache.paimon.types.RowType;
import org.apache.paimon.utils.Pair;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Callable;

/** What Paimon reads of each table of a warehouse: the layout of tests/corpora/README.md. */
final class Dump {
    private Dump() {}

    static Throwable root(Throwable failure) {
        Throwable root = failure;
        while (root.getCause() != null) root = root.getCause();
        return root;
    }

    private static ObjectNode err(Throwable failure) {
        Throwable root = root(failure);
        ObjectNode node = Json.NODES.objectNode();
        return node.put("error", root.getClass().getSimpleName() + ": " + root.getMessage());
    }

    static ObjectNode read(Table t, boolean sort) throws Exception {
        ObjectNode o = Json.NODES.objectNode();
        RowType rt = t.rowType();
        ArrayNode cols = Json.NODES.arrayNode();
        rt.getFieldNames().forEach(cols::add);
        ReadBuilder rb = t.newReadBuilder();
        List<Split> splits = rb.newScan().plan().splits();
        TableRead tr = rb.newRead();
        tr.withIOManager(new IOManagerImpl(PaimonDriver.SCRATCH));
        List<String> lines = new ArrayList<>();
        try (RecordReader<InternalRow> r = tr.createReader(splits)) {
            r.forEachRemaining(
                    x -> {
                        ArrayNode a = Values.row(x, rt);
                        lines.add(a.toString());
                    });
        }
        if (sort) Collections.sort(lines);
        ArrayNode rows = Json.NODES.arrayNode();
        for (String s : lines) rows.add(Json.MAPPER.readTree(s));
        o.set("columns", cols);
        o.set("rows", rows);
        return o;
    }

    static ObjectNode schemaNode(TableSchema s) {
        ObjectNode o = Json.NODES.objectNode();
        o.put("id", s.id());
        ArrayNode fs = Json.NODES.arrayNode();
        for (DataField f : s.fields()) {
            ObjectNode n = Json.NODES.objectNode();
            n.put("id", f.id());
            n.put("name", f.name());
            n.put("type", f.type().asSQLString());
            if (f.description() != null) n.put("description", f.description());
            fs.add(n);
        }
        o.set("fields", fs);
        o.put("highestFieldId", s.highestFieldId());
        o.set("partitionKeys", Json.MAPPER.valueToTree(s.partitionKeys()));
        o.set("primaryKeys", Json.MAPPER.valueToTree(s.primaryKeys()));
        o.set("options", Json.MAPPER.valueToTree(new TreeMap<>(s.options())));
        o.put("comment", s.comment());
        o.put("timeMillis", s.timeMillis());
        return o;
    }

    static ArrayNode plan(Table t) throws Exception {
        RowType pt = ((FileStoreTable) t).schema().logicalPartitionType();
        ReadBuilder rb = t.newReadBuilder();
        List<String> l = new ArrayList<>();
        for (Split s : rb.newScan().plan().splits()) {
            DataSplit d = (DataSplit) s;
            ObjectNode o = Json.NODES.objectNode();
            o.set("partition", Values.row(d.partition(), pt));
            o.put("bucket", d.bucket());
            o.put("rawConvertible", d.rawConvertible());
            ArrayNode fs = Json.NODES.arrayNode();
            d.dataFiles().forEach(f -> fs.add(f.fileName()));
            o.set("files", fs);
            d.deletionFiles()
                    .ifPresent(
                            df -> {
                                ArrayNode x = Json.NODES.arrayNode();
                                for (DeletionFile q : df) {
                                    if (q == null) x.addNull();
                                    else {
                                        ObjectNode z = Json.NODES.objectNode();
                                        z.put("path", q.path());
                                        z.put("offset", q.offset());
                                        z.put("length", q.length());
                                        x.add(z);
                                    }
                                }
                                o.set("deletionFiles", x);
                            });
            l.add(o.toString());
        }
        Collections.sort(l);
        ArrayNode a = Json.NODES.arrayNode();
        for (String s : l) a.add(Json.MAPPER.readTree(s));
        return a;
    }

    static ObjectNode system(FileStoreTable t) {
        ObjectNode sys = Json.NODES.objectNode();
        for (String n : new TreeSet<>(SystemTableLoader.SYSTEM_TABLES)) {
            boolean data = n.equals("audit_log") || n.equals("ro");
            sys.set(n, orError(() -> read(SystemTableLoader.load(n, t), data)));
        }
        return sys;
    }

    /** What is read of each table, by name; what cannot be read becomes {@code {"error": ...}}. */
    static ObjectNode dump(Catalog catalog, String[] parts) throws Exception {
        Set<String> asked = new HashSet<>(Arrays.asList(parts));
        ObjectNode answers = Json.NODES.objectNode();
        for (String database : new TreeSet<>(catalog.listDatabases())) {
            for (String table : new TreeSet<>(catalog.listTables(database))) {
                Identifier id = Identifier.create(database, table);
                answers.set(id.getFullName(), orError(() -> table(catalog, id, asked)));
            }
        }
        return answers;
    }

    private static ObjectNode table(Catalog catalog, Identifier id, Set<String> asked)
            throws Exception {
        FileStoreTable table = (FileStoreTable) catalog.getTable(id);
        ObjectNode answer = Json.NODES.objectNode();
        answer.put("table", id.getFullName());
        answer.put("path", id.getDatabaseName() + ".db/" + id.getObjectName());
        answer.put("bucketMode", table.bucketMode().name());
        answer.set("schema", schemaNode(table.schema()));
        answer.put("latestSnapshotId", table.snapshotManager().latestSnapshotId());
        answer.put("earliestSnapshotId", table.snapshotManager().earliestSnapshotId());
        Map<String, Callable<JsonNode>> parts = new LinkedHashMap<>();
        parts.put("latest", () -> read(table, true));
        parts.put("plan", () -> plan(table));
        parts.put("atSnapshot", () -> eachSnapshot(table, snapshot -> readAt(table, snapshot)));
        parts.put("changesOfSnapshot", () -> eachSnapshot(table, snapshot -> changes(table, snapshot)));
        parts.put("atTag", () -> tags(table));
        parts.put("branches", () -> branches(table));
        parts.put("system", () -> system(table));
        parts.put("metadata", () -> Metadata.of(table));
        parts.forEach((name, part) -> { if (asked.contains(name)) answer.set(name, orError(part)); });
        return answer;
    }

    private interface OfSnapshot {
        ObjectNode answer(Snapshot snapshot) throws Exception;
    }

    private static ObjectNode eachSnapshot(FileStoreTable table, OfSnapshot what) throws Exception {
        TreeMap<Long, Snapshot> snapshots = new TreeMap<>();
        table.snapshotManager().snapshots().forEachRemaining(s -> snapshots.put(s.id(), s));
        ObjectNode answers = Json.NODES.objectNode();
        snapshots.forEach((id, s) -> answers.set("" + id, orError(() -> what.answer(s))));
        return answers;
    }

    private static ObjectNode readAt(FileStoreTable table, Snapshot snapshot) throws Exception {
        return read(
                table.copy(Collections.singletonMap("scan.snapshot-id", "" + snapshot.id())), true);
    }

    private static ObjectNode changes(FileStoreTable table, Snapshot snapshot) {
        ObjectNode answer = Json.NODES.objectNode();
        answer.set("delta", orError(() -> changes(table, snapshot, "delta")));
        if (snapshot.changelogManifestList() != null) {
            answer.set("changelog", orError(() -> changes(table, snapshot, "changelog")));
        }
        return answer;
    }

    private static ObjectNode changes(FileStoreTable table, Snapshot snapshot, String mode)
            throws Exception {
        Map<String, String> options = new HashMap<>();
        options.put("incremental-between", (snapshot.id() - 1) + "," + snapshot.id());
        options.put("incremental-between-scan-mode", mode);
        return read(new AuditLogTable(table.copy(options)), true);
    }

    private static ObjectNode tags(FileStoreTable table) {
        ObjectNode answers = Json.NODES.objectNode();
        for (Pair<Tag, String> tag : table.tagManager().tagObjects()) {
            Map<String, String> options = Collections.singletonMap("scan.tag-name", tag.getRight());
            JsonNode answer = orError(() -> read(table.copy(options), true));
            ((ObjectNode) answer).put("snapshotId", tag.getLeft().id());
            answers.set(tag.getRight(), answer);
        }
        return answers;
    }

    private static ObjectNode branches(FileStoreTable table) {
        ObjectNode answers = Json.NODES.objectNode();
        for (String name : new TreeSet<>(table.branchManager().branches())) {
            answers.set(name, orError(() -> branch(table.switchToBranch(name))));
        }
        return answers;
    }

    private static ObjectNode branch(FileStoreTable branch) throws Exception {
        ObjectNode answer = Json.NODES.objectNode();
        answer.set("schema", schemaNode(branch.schema()));
        answer.put("latestSnapshotId", branch.snapshotManager().latestSnapshotId());
        answer.set("latest", orError(() -> read(branch, true)));
        return answer;
    }

    /** The answer, or what this reader fails with: both are worth knowing. */
    static JsonNode orError(Callable<? extends JsonNode> answer) {
        try {
            return answer.call();
        } catch (Throwable failure) { // an Error of the reader is an answer too
            return err(failure);
        }
    }
}
