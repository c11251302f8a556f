import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.apache.paimon.catalog.Catalog;
import org.apache.paimon.catalog.CatalogContext;
import org.apache.paimon.catalog.CatalogFactory;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.data.BinaryString;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.options.Options;
import org.apache.paimon.reader.RecordReader;
import org.apache.paimon.schema.Schema;
import org.apache.paimon.schema.SchemaChange;
import org.apache.paimon.table.Table;
import org.apache.paimon.table.sink.BatchTableCommit;
import org.apache.paimon.table.sink.BatchTableWrite;
import org.apache.paimon.table.sink.BatchWriteBuilder;
import org.apache.paimon.table.source.ReadBuilder;
import org.apache.paimon.types.DataTypes;

/** One catalog of real Paimon, opened by options `key=value`: each line of input is a request, words with a tab
 *  between them; each line of output its answer, or `!` and what was wrong. */
public class CatalogDriver {
    private final Catalog catalog;

    private CatalogDriver(Options options) {
        catalog = CatalogFactory.createCatalog(CatalogContext.create(options));
    }

    public static void main(String[] given) throws Exception {
        Options options = new Options();
        for (String option : given) {
            int at = option.indexOf('=');
            options.set(option.substring(0, at), option.substring(at + 1));
        }
        CatalogDriver driver = new CatalogDriver(options);
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            String answer;
            try {
                answer = String.join("\t", driver.answer(line.split("\t")));
            } catch (Throwable error) {
                Throwable cause = error.getCause() == null ? error : error.getCause();
                error.printStackTrace();
                answer = "!" + error.getClass().getSimpleName() + ": " + cause.getMessage();
            }
            System.out.println("> " + answer.replace('\n', ' '));
            System.out.flush();
        }
        driver.catalog.close();
    }

    private Iterable<String> answer(String[] asked) throws Exception {
        switch (asked[0]) {
            case "databases":
                return new TreeSet<>(catalog.listDatabases());
            case "tables":
                return new TreeSet<>(catalog.listTables(asked[1]));
            case "create_database":
                catalog.createDatabase(asked[1], false);
                break;
            case "drop_database":
                catalog.dropDatabase(asked[1], false, true);
                break;
            case "create_table":
                Schema.Builder schema = Schema.newBuilder().column("k", DataTypes.INT().notNull());
                schema.column("v", DataTypes.STRING()).primaryKey("k").option("bucket", "1");
                catalog.createTable(table(asked[1]), schema.build(), false);
                break;
            case "set_option":
                catalog.alterTable(table(asked[1]), SchemaChange.setOption(asked[2], asked[3]), false);
                break;
            case "rename":
                catalog.renameTable(table(asked[1]), table(asked[2]), false);
                break;
            case "drop":
                catalog.dropTable(table(asked[1]), false);
                break;
            case "write":
                write(catalog.getTable(table(asked[1])), Integer.parseInt(asked[2]), asked[3]);
                break;
            case "rows":
                return rows(catalog.getTable(table(asked[1])));
            case "views": // of newer versions alone
                Object views = Catalog.class.getMethod("listViews", String.class).invoke(catalog, asked[1]);
                return new TreeSet<>((List<String>) views);
            case "query": // of a view
                Object view = Catalog.class.getMethod("getView", Identifier.class).invoke(catalog, table(asked[1]));
                Class<?> kind = Class.forName("org.apache.paimon.view.View");
                return List.of((String) kind.getMethod("query", String.class).invoke(view, asked[2]));
            default:
                throw new IllegalArgumentException(asked[0]);
        }
        return List.of("done");
    }

    private static Identifier table(String name) {
        return Identifier.fromString(name);
    }

    private static void write(Table table, int key, String value) throws Exception {
        BatchWriteBuilder builder = table.newBatchWriteBuilder();
        try (BatchTableWrite write = builder.newWrite(); BatchTableCommit commit = builder.newCommit()) {
            write.write(GenericRow.of(key, BinaryString.fromString(value)));
            commit.commit(write.prepareCommit());
        }
    }

    private static List<String> rows(Table table) throws Exception {
        List<String> found = new ArrayList<>();
        ReadBuilder builder = table.newReadBuilder();
        try (RecordReader<InternalRow> reader = builder.newRead().createReader(builder.newScan().plan())) {
            reader.forEachRemaining(row -> found.add(row.getInt(0) + "=" + row.getString(1)));
        }
        return new TreeSet<>(found).stream().toList();
    }
}
