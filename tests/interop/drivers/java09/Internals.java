import org.apache.paimon.append.UnawareAppendCompactionTask;
import org.apache.paimon.append.UnawareAppendTableCompactionCoordinator;
import org.apache.paimon.crosspartition.GlobalIndexAssigner;
import org.apache.paimon.crosspartition.IndexBootstrap;
import org.apache.paimon.data.BinaryRow;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.deletionvectors.BitmapDeletionVector;
import org.apache.paimon.deletionvectors.DeletionVector;
import org.apache.paimon.deletionvectors.append.AppendDeletionFileMaintainer;
import org.apache.paimon.disk.IOManager;
import org.apache.paimon.disk.IOManagerImpl;
import org.apache.paimon.index.HashBucketAssigner;
import org.apache.paimon.index.IndexFileHandler;
import org.apache.paimon.index.IndexFileMeta;
import org.apache.paimon.io.CompactIncrement;
import org.apache.paimon.io.DataFileMeta;
import org.apache.paimon.io.DataIncrement;
import org.apache.paimon.io.IndexIncrement;
import org.apache.paimon.manifest.FileKind;
import org.apache.paimon.manifest.IndexManifestEntry;
import org.apache.paimon.manifest.ManifestCommittable;
import org.apache.paimon.operation.AppendOnlyFileStoreWrite;
import org.apache.paimon.operation.FileStoreCommit;
import org.apache.paimon.table.BucketMode;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.sink.CommitMessage;
import org.apache.paimon.table.sink.CommitMessageImpl;
import org.apache.paimon.table.sink.RowPartitionKeyExtractor;
import org.apache.paimon.table.sink.TableWriteImpl;
import org.apache.paimon.table.source.DataSplit;
import org.apache.paimon.table.source.Split;
import org.apache.paimon.utils.Pair;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/** What Java Paimon 0.9.0 does in a way of its own: classes below its public table API. */
final class Internals {
    private Internals() {}

    static FileStoreCommit newCommit(FileStoreTable t, String user) {
        return t.store().newCommit(user);
    }

    static void addLogOffset(ManifestCommittable committable, int bucket, long offset) {
        committable.addLogOffset(bucket, offset);
    }

    /** Whether an index decides which bucket a row is written to. */
    static boolean assignsBuckets(FileStoreTable t) {
        return t.bucketMode() == BucketMode.HASH_DYNAMIC
                || t.bucketMode() == BucketMode.CROSS_PARTITION;
    }

    /** Write rows into the buckets that the table's index assigns to them. */
    static void writeToAssignedBuckets(
            FileStoreTable t, TableWriteImpl<?> w, IOManager io, String user, List<GenericRow> rows)
            throws Exception {
        if (t.bucketMode() == BucketMode.HASH_DYNAMIC) {
            RowPartitionKeyExtractor keys = new RowPartitionKeyExtractor(t.schema());
            HashBucketAssigner assigner =
                    new HashBucketAssigner(
                            t.snapshotManager(),
                            user,
                            t.store().newIndexFileHandler(),
                            1,
                            1,
                            0,
                            t.coreOptions().dynamicBucketTargetRowNum());
            for (GenericRow row : rows) {
                int hash = keys.trimmedPrimaryKey(row).hashCode();
                w.write(row, assigner.assign(keys.partition(row), hash));
            }
            return;
        }
        try (GlobalIndexAssigner assigner = new GlobalIndexAssigner(t)) {
            assigner.open(16L << 20, io, 1, 0, (row, bucket) -> unchecked(() -> w.write(row, bucket)));
            new IndexBootstrap(t)
                    .bootstrap(1, 0, row -> unchecked(() -> assigner.bootstrapKey(row)));
            assigner.endBoostrap(false);
            for (GenericRow row : rows) assigner.processInput(row);
        }
    }

    /** Pack the small files of a table without buckets. */
    static List<CommitMessage> packAppendFiles(FileStoreTable t, String user) throws Exception {
        List<CommitMessage> messages = new ArrayList<>();
        AppendOnlyFileStoreWrite write = (AppendOnlyFileStoreWrite) t.store().newWrite(user);
        write.withIOManager(new IOManagerImpl(PaimonDriver.SCRATCH));
        for (UnawareAppendCompactionTask task : new UnawareAppendTableCompactionCoordinator(t, false).run()) {
            messages.add(task.doCompact(t, write));
        }
        write.close();
        return messages;
    }

    /** Delete rows of an append table by deletion vectors. */
    static List<CommitMessage> deleteByVectors(FileStoreTable t, Predicate<InternalRow> condition)
            throws Exception {
        Map<Pair<BinaryRow, Integer>, AppendDeletionFileMaintainer> byBucket = new LinkedHashMap<>();
        for (Split split : t.newSnapshotReader().read().splits()) {
            DataSplit d = (DataSplit) split;
            AppendDeletionFileMaintainer m =
                    byBucket.computeIfAbsent(Pair.of(d.partition(), d.bucket()), k -> vectors(t, d));
            for (DataFileMeta f : d.dataFiles()) {
                BitmapDeletionVector found = Operations.positions(t, d, f, condition);
                if (!found.isEmpty()) m.notifyNewDeletionVector(f.fileName(), found);
            }
        }
        List<CommitMessage> messages = new ArrayList<>();
        for (AppendDeletionFileMaintainer m : byBucket.values()) {
            List<IndexFileMeta> added = new ArrayList<>(), removed = new ArrayList<>();
            for (IndexManifestEntry e : m.persist())
                (e.kind() == FileKind.ADD ? added : removed).add(e.indexFile());
            if (added.isEmpty() && removed.isEmpty()) continue;
            messages.add(
                    new CommitMessageImpl(
                            m.getPartition(),
                            m.getBucket(),
                            DataIncrement.emptyIncrement(),
                            CompactIncrement.emptyIncrement(),
                            new IndexIncrement(added, removed)));
        }
        return messages;
    }

    private static AppendDeletionFileMaintainer vectors(FileStoreTable t, DataSplit d) {
        IndexFileHandler handler = t.store().newIndexFileHandler();
        Long latest = t.snapshotManager().latestSnapshotId();
        return t.bucketMode() == BucketMode.BUCKET_UNAWARE
                ? AppendDeletionFileMaintainer.forUnawareAppend(handler, latest, d.partition())
                : AppendDeletionFileMaintainer.forBucketedAppend(handler, latest, d.partition(), d.bucket());
    }

    /** Offset and length of each data file's vector; null where the file holds none. */
    static Map<String, List<Integer>> deletionVectorRanges(IndexFileMeta file) {
        if (file.deletionVectorsRanges() == null) return null;
        Map<String, List<Integer>> ranges = new LinkedHashMap<>();
        file.deletionVectorsRanges()
                .forEach((name, range) -> ranges.put(name, Arrays.asList(range.getLeft(), range.getRight())));
        return ranges;
    }

    static List<Integer> keyHashes(IndexFileHandler handler, IndexManifestEntry entry)
            throws Exception {
        return handler.readHashIndexList(entry.indexFile());
    }

    static Map<String, DeletionVector> deletionVectors(
            IndexFileHandler handler, IndexManifestEntry entry) {
        return handler.readAllDeletionVectors(List.of(entry.indexFile()));
    }

    private interface Action {
        void run() throws Exception;
    }

    private static void unchecked(Action action) {
        try {
            action.run();
        } catch (Exception e) {
            throw new RuntimeException(e);
        }
    }
}
