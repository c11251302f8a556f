import org.apache.paimon.Snapshot;
import org.apache.paimon.index.IndexFileHandler;
import org.apache.paimon.index.IndexFileMeta;
import org.apache.paimon.io.DataFileMeta;
import org.apache.paimon.manifest.FileKind;
import org.apache.paimon.manifest.IndexManifestEntry;
import org.apache.paimon.manifest.ManifestEntry;
import org.apache.paimon.manifest.ManifestFileMeta;
import org.apache.paimon.schema.SchemaManager;
import org.apache.paimon.schema.TableSchema;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.node.ArrayNode;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;
import org.apache.paimon.stats.SimpleStats;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.tag.Tag;
import org.apache.paimon.types.RowType;
import org.apache.paimon.utils.Pair;

import java.util.Base64;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Manifest lists, manifests and index manifests of a table, as Paimon itself decodes them. */
final class Metadata {
    private final FileStoreTable table;
    private final RowType partitionType;
    private final SchemaManager schemas;

    private Metadata(FileStoreTable table) {
        this.table = table;
        this.partitionType = table.schema().logicalPartitionType();
        this.schemas =
                new SchemaManager(table.fileIO(), table.location(), table.coreOptions().branch());
    }

    static ObjectNode of(FileStoreTable table) throws Exception {
        return new Metadata(table).decode();
    }

    private ObjectNode decode() throws Exception {
        Set<String> lists = new LinkedHashSet<>(), indexes = new LinkedHashSet<>();
        for (Snapshot snapshot : snapshotsAndTags()) {
            lists.add(snapshot.baseManifestList());
            lists.add(snapshot.deltaManifestList());
            if (snapshot.changelogManifestList() != null)
                lists.add(snapshot.changelogManifestList());
            if (snapshot.indexManifest() != null) indexes.add(snapshot.indexManifest());
        }
        ObjectNode manifestLists = Json.NODES.objectNode(), manifests = Json.NODES.objectNode();
        for (String list : lists) {
            ArrayNode entries = Json.NODES.arrayNode();
            for (ManifestFileMeta manifest : table.manifestListReader().read(list)) {
                entries.add(manifest(manifest));
                if (!manifests.has(manifest.fileName())) {
                    manifests.set(manifest.fileName(), entries(manifest.fileName()));
                }
            }
            manifestLists.set(list, entries);
        }
        ObjectNode answer = Json.NODES.objectNode();
        answer.set("manifestLists", manifestLists);
        answer.set("manifests", manifests);
        decodeIndexes(indexes, answer);
        return answer;
    }

    private Collection<Snapshot> snapshotsAndTags() throws Exception {
        Map<String, Snapshot> found = new TreeMap<>();
        Iterator<Snapshot> snapshots = table.snapshotManager().snapshots();
        snapshots.forEachRemaining(s -> found.put(String.format("%06d", s.id()), s));
        for (Pair<Tag, String> tag : table.tagManager().tagObjects()) {
            found.put("tag-" + tag.getRight(), tag.getLeft().trimToSnapshot());
        }
        return found.values();
    }

    private ObjectNode manifest(ManifestFileMeta manifest) {
        ObjectNode answer = Json.NODES.objectNode();
        answer.put("file", manifest.fileName());
        answer.put("size", manifest.fileSize());
        answer.put("added", manifest.numAddedFiles());
        answer.put("deleted", manifest.numDeletedFiles());
        answer.put("schemaId", manifest.schemaId());
        answer.set("partitionStats", stats(manifest.partitionStats(), partitionType));
        return answer;
    }

    private ArrayNode entries(String manifest) {
        ArrayNode answers = Json.NODES.arrayNode();
        for (ManifestEntry entry : table.manifestFileReader().read(manifest)) {
            ObjectNode answer = Json.NODES.objectNode();
            answer.put("kind", entry.kind().name());
            answer.set("partition", Values.row(entry.partition(), partitionType));
            answer.put("bucket", entry.bucket());
            answer.put("totalBuckets", entry.totalBuckets());
            answer.put("file", entry.file().fileName());
            if (entry.kind() == FileKind.ADD) describe(entry.file(), answer);
            answers.add(answer);
        }
        return answers;
    }

    private void describe(DataFileMeta file, ObjectNode answer) {
        TableSchema schema = schemas.schema(file.schemaId());
        answer.put("level", file.level());
        answer.put("size", file.fileSize());
        answer.put("rows", file.rowCount());
        answer.put("minSeq", file.minSequenceNumber());
        answer.put("maxSeq", file.maxSequenceNumber());
        answer.put("schemaId", file.schemaId());
        file.deleteRowCount().ifPresent(count -> answer.put("deleteRows", count));
        file.fileSource().ifPresent(source -> answer.put("source", source.name()));
        if (!file.extraFiles().isEmpty()) {
            answer.set("extraFiles", Json.MAPPER.valueToTree(file.extraFiles()));
        }
        if (file.embeddedIndex() != null) {
            answer.put("embeddedIndex", Base64.getEncoder().encodeToString(file.embeddedIndex()));
        }
        answer.put("creationTime", Values.frac(file.creationTime(), 3));
        if (!table.primaryKeys().isEmpty()) {
            RowType keyType = schema.logicalTrimmedPrimaryKeysType();
            answer.set("minKey", Values.row(file.minKey(), keyType));
            answer.set("maxKey", Values.row(file.maxKey(), keyType));
        }
        answer.set("valueStats", stats(file.valueStats(), schema.logicalRowType()));
    }

    private void decodeIndexes(Set<String> names, ObjectNode answer) {
        IndexFileHandler handler = table.store().newIndexFileHandler();
        ObjectNode manifests = Json.NODES.objectNode(), contents = Json.NODES.objectNode();
        for (String name : names) {
            ArrayNode entries = Json.NODES.arrayNode();
            for (IndexManifestEntry entry : handler.readManifest(name)) {
                entries.add(indexEntry(entry));
                IndexFileMeta file = entry.indexFile();
                if (!contents.has(file.fileName())) {
                    contents.set(file.fileName(), Dump.orError(() -> content(handler, entry)));
                }
            }
            manifests.set(name, entries);
        }
        answer.set("indexManifests", manifests);
        answer.set("indexFiles", contents);
    }

    private ObjectNode indexEntry(IndexManifestEntry entry) {
        IndexFileMeta file = entry.indexFile();
        ObjectNode answer = Json.NODES.objectNode();
        answer.put("kind", entry.kind().name());
        answer.set("partition", Values.row(entry.partition(), partitionType));
        answer.put("bucket", entry.bucket());
        answer.put("indexType", file.indexType());
        answer.put("file", file.fileName());
        answer.put("size", file.fileSize());
        answer.put("rows", file.rowCount());
        Map<String, List<Integer>> found = Internals.deletionVectorRanges(file);
        if (found != null) {
            ObjectNode ranges = answer.putObject("deletionVectorsRanges");
            found.forEach((name, range) -> range.forEach(ranges.withArray(name)::add));
        }
        return answer;
    }

    /** Key hashes of a HASH index; deleted positions by data file of a deletion vector index. */
    private JsonNode content(IndexFileHandler handler, IndexManifestEntry entry)
            throws Exception {
        if (entry.indexFile().indexType().equals("HASH")) {
            return Json.MAPPER.valueToTree(Internals.keyHashes(handler, entry));
        }
        ObjectNode answer = Json.NODES.objectNode();
        Internals.deletionVectors(handler, entry)
                .forEach(
                        (dataFile, vector) -> {
                            ArrayNode positions = answer.putArray(dataFile);
                            for (int i = 0; i < 100_000; i++) {
                                if (vector.isDeleted(i)) positions.add(i);
                            }
                        });
        return answer;
    }

    private static ObjectNode stats(SimpleStats s, RowType t) {
        ObjectNode o = Json.NODES.objectNode();
        try {
            o.set(
                    "min",
                    s.minValues().getFieldCount() == t.getFieldCount()
                            ? Values.row(s.minValues(), t)
                            : Json.NODES.nullNode());
            o.set(
                    "max",
                    s.maxValues().getFieldCount() == t.getFieldCount()
                            ? Values.row(s.maxValues(), t)
                            : Json.NODES.nullNode());
        } catch (Throwable e) {
            o.put("error", "" + e);
        }
        ArrayNode nc = Json.NODES.arrayNode();
        if (s.nullCounts() != null)
            for (int i = 0; i < s.nullCounts().size(); i++) {
                if (s.nullCounts().isNullAt(i)) nc.addNull();
                else nc.add(s.nullCounts().getLong(i));
            }
        o.set("nullCounts", nc);
        return o;
    }
}
