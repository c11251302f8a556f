import org.apache.paimon.catalog.Catalog;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.node.ArrayNode;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;

import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/**
 * Lives as long as its input is open. Each line of it is a request of one {@code warehouse}, and is
 * answered by one line of output.
 *
 * <p>With {@code write}, a description is carried out. With {@code dump}, every table is read, in those
 * parts of the layout of tests/corpora/README.md that the list names. With {@code reads}, each of a list
 * of reads is answered, as in {@link Reads}. Else the request is of one {@code table}: an operation of a
 * description, or, without {@code op}, one read.
 */
final class Served {
    private final Map<String, Catalog> catalogs = new HashMap<>();

    private Served() {}

    static void serve() throws Exception {
        PrintStream answers =
                new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
        System.setOut(System.err); // what Paimon itself prints goes to the log
        BufferedReader requests =
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        Served served = new Served();
        for (String line; (line = requests.readLine()) != null; ) {
            JsonNode request = Json.MAPPER.readTree(line);
            answers.println(Dump.orError(() -> served.answer(request)));
        }
    }

    private JsonNode answer(JsonNode request) throws Exception {
        Catalog catalog =
                catalogs.computeIfAbsent(request.get("warehouse").asText(), PaimonDriver::catalog);
        if (request.has("write")) return Operations.write(catalog, request.get("write"));
        if (request.has("dump")) return Dump.dump(catalog, Json.strs(request.get("dump")));
        if (request.has("reads")) return reads(catalog, request.get("reads"));
        if (!request.has("op")) return Reads.answer(catalog, request);
        Operations.op(catalog, Identifier.fromString(request.get("table").asText()), request);
        return Json.NODES.objectNode();
    }

    private static JsonNode reads(Catalog catalog, JsonNode requests) {
        ObjectNode answer = Json.NODES.objectNode();
        ArrayNode found = answer.putArray("answers");
        for (JsonNode request : requests) {
            found.add(Dump.orError(() -> Reads.answer(catalog, request)));
        }
        return answer;
    }
}
