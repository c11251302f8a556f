import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.node.JsonNodeFactory;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The one mapper, and small readers of JSON members. */
final class Json {
    static final ObjectMapper MAPPER = new ObjectMapper();
    static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    private Json() {}

    static Map<String, String> strMap(JsonNode n) {
        Map<String, String> m = new LinkedHashMap<>();
        if (n != null && !n.isNull())
            n.fields()
                    .forEachRemaining(
                            e ->
                                    m.put(
                                            e.getKey(),
                                            e.getValue().isNull() ? null : e.getValue().asText()));
        return m;
    }

    static String[] strs(JsonNode n) {
        List<String> l = new ArrayList<>();
        if (n != null) n.forEach(x -> l.add(x.asText()));
        return l.toArray(new String[0]);
    }
}
