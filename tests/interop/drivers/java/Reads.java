import org.apache.paimon.catalog.Catalog;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.disk.IOManagerImpl;
import org.apache.paimon.reader.RecordReader;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.node.ArrayNode;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.Table;
import org.apache.paimon.table.source.ReadBuilder;
import org.apache.paimon.table.source.Split;
import org.apache.paimon.table.source.StreamTableScan;
import org.apache.paimon.table.source.TableRead;
import org.apache.paimon.table.system.AuditLogTable;
import org.apache.paimon.table.system.SystemTableLoader;
import org.apache.paimon.types.RowType;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads of chosen tables with dynamic options.
 *
 * <p>A request has {@code table} and {@code options}; {@code system} reads {@code audit_log},
 * {@code binlog} or another system table; {@code stream} follows the table until nothing is left. Rows of a table
 * itself start with their kind.
 */
final class Reads {
    private Reads() {}

    static JsonNode answer(Catalog catalog, JsonNode request) throws Exception {
        Map<String, String> options = new HashMap<>();
        request.path("options")
                .fields()
                .forEachRemaining(entry -> options.put(entry.getKey(), entry.getValue().asText()));
        Table table = catalog.getTable(Identifier.fromString(request.get("table").asText()));
        Table copy = table.copy(options);
        String system = request.path("system").asText("null");
        if (!system.equals("null")) {
            copy = SystemTableLoader.load(system, (FileStoreTable) copy);
        }
        return request.path("stream").asBoolean() ? stream(copy, latest(table)) : batch(copy);
    }

    private static long latest(Table table) {
        Long id = ((FileStoreTable) table).snapshotManager().latestSnapshotId();
        return id == null ? 0 : id;
    }

    private static JsonNode batch(Table table) throws Exception {
        ReadBuilder builder = table.newReadBuilder();
        ObjectNode answer = columns(table);
        answer.set("rows", rows(builder, builder.newScan().plan().splits(), table.rowType()));
        return answer;
    }

    private static JsonNode stream(Table table, long latest) throws Exception {
        ReadBuilder builder = table.newReadBuilder();
        StreamTableScan scan = builder.newStreamScan();
        ObjectNode answer = columns(table);
        ArrayNode plans = Json.NODES.arrayNode();
        // A scan may pass over snapshots in one call, or see nothing in its first.
        for (int call = 0; call <= 2 * latest + 4; call++) {
            List<Split> splits = scan.plan().splits();
            Long next = scan.checkpoint();
            ArrayNode rows = rows(builder, splits, table.rowType());
            if (rows.size() > 0) plans.add(rows);
            if (next != null && next > latest && splits.isEmpty()) break;
        }
        answer.set("plans", plans);
        answer.put("next", scan.checkpoint());
        return answer;
    }

    private static ObjectNode columns(Table table) {
        ObjectNode answer = Json.NODES.objectNode();
        ArrayNode names = Json.NODES.arrayNode();
        if (!(table instanceof AuditLogTable)) names.add("rowkind");
        table.rowType().getFieldNames().forEach(names::add);
        answer.set("columns", names);
        return answer;
    }

    private static ArrayNode rows(ReadBuilder builder, List<Split> splits, RowType type)
            throws Exception {
        TableRead read = builder.newRead();
        read.withIOManager(new IOManagerImpl(PaimonDriver.SCRATCH));
        List<String> lines = new ArrayList<>();
        try (RecordReader<InternalRow> reader = read.createReader(splits)) {
            reader.forEachRemaining(row -> lines.add(line(row, type)));
        }
        Collections.sort(lines);
        ArrayNode rows = Json.NODES.arrayNode();
        for (String line : lines) rows.add(Json.MAPPER.readTree(line));
        return rows;
    }

    private static String line(InternalRow row, RowType type) {
        ArrayNode values = Values.row(row, type);
        if (!type.getFieldNames().get(0).equals("rowkind")) {
            values.insert(0, row.getRowKind().shortString());
        }
        return values.toString();
    }
}
