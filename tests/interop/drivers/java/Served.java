import org.apache.paimon.catalog.Catalog;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.JsonNode;

import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/**
 * Lives as long as its input is open: {@code serve WAREHOUSE}.
 *
 * <p>Each line of input is a request of one {@code table}: an operation of a description, or, without {@code op},
 * a read as in {@link Reads}. Each is answered by one line of output.
 */
final class Served {
    private Served() {}

    static void serve(String warehouse) throws Exception {
        PrintStream answers =
                new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
        System.setOut(System.err); // what Paimon itself prints goes to the log
        Catalog catalog = PaimonDriver.catalog(warehouse);
        BufferedReader requests =
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line; (line = requests.readLine()) != null; ) {
            JsonNode request = Json.MAPPER.readTree(line);
            answers.println(Dump.orError(() -> answer(catalog, request)));
        }
    }

    private static JsonNode answer(Catalog catalog, JsonNode request) throws Exception {
        if (!request.has("op")) return Reads.answer(catalog, request);
        Operations.op(catalog, Identifier.fromString(request.get("table").asText()), request);
        return Json.NODES.objectNode();
    }
}
