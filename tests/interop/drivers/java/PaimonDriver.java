import org.apache.paimon.catalog.Catalog;
import org.apache.paimon.catalog.CatalogContext;
import org.apache.paimon.catalog.CatalogFactory;
import org.apache.paimon.options.Options;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.TimeZone;

/**
 * Drives Java Paimon 0.9.0 through its public table API.
 *
 * <p>{@code write DESCRIPTION.json WAREHOUSE} carries out a description; {@code dump WAREHOUSE
 * FOLDER} reads every table and writes one JSON file for each; {@code read REQUESTS.json WAREHOUSE
 * ANSWERS.json} reads what is asked for, with dynamic options or as a stream; {@code serve WAREHOUSE}
 * does what each line of its input asks for.
 */
public final class PaimonDriver {
    static final String SCRATCH = System.getProperty("java.io.tmpdir") + "/paimon-io";

    private PaimonDriver() {}

    public static void main(String[] arguments) throws Exception {
        TimeZone.setDefault(TimeZone.getTimeZone("UTC"));
        Files.createDirectories(Paths.get(SCRATCH));
        int failed = 0;
        switch (arguments[0]) {
            case "write":
                failed = Operations.write(arguments[1], arguments[2]);
                break;
            case "dump":
                Dump.dump(arguments[1], arguments[2]);
                break;
            case "read":
                Reads.read(arguments[1], arguments[2], arguments[3]);
                break;
            case "serve":
                Served.serve(arguments[1]);
                break;
            default:
                throw new IllegalArgumentException("write, dump, read or serve, not " + arguments[0]);
        }
        // Paimon leaves threads behind that would keep the process.
        System.exit(failed > 0 ? 1 : 0);
    }

    static Catalog catalog(String wh) {
        Options o = new Options();
        o.set("warehouse", new File(wh).getAbsolutePath());
        o.set("cache-enabled", "false");
        return CatalogFactory.createCatalog(CatalogContext.create(o));
    }
}
