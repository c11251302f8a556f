import org.apache.paimon.catalog.Catalog;
import org.apache.paimon.catalog.CatalogContext;
import org.apache.paimon.catalog.CatalogFactory;
import org.apache.paimon.options.Options;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.TimeZone;

/** Drives Java Paimon through its public table API, as {@link Served} says. */
public final class PaimonDriver {
    static final String SCRATCH = System.getProperty("java.io.tmpdir") + "/paimon-io";

    private PaimonDriver() {}

    public static void main(String[] arguments) throws Exception {
        TimeZone.setDefault(TimeZone.getTimeZone("UTC"));
        Files.createDirectories(Paths.get(SCRATCH));
        Served.serve();
        // Paimon leaves threads behind that would keep the process.
        System.exit(0);
    }

    static Catalog catalog(String wh) {
        Options o = new Options();
        o.set("warehouse", new File(wh).getAbsolutePath());
        o.set("cache-enabled", "false");
        return CatalogFactory.createCatalog(CatalogContext.create(o));
    }
}
