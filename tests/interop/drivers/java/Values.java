import org.apache.paimon.data.BinaryString;
import org.apache.paimon.data.Decimal;
import org.apache.paimon.data.GenericArray;
import org.apache.paimon.data.GenericMap;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.data.InternalArray;
import org.apache.paimon.data.InternalMap;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.data.Timestamp;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.node.ArrayNode;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;
import org.apache.paimon.types.ArrayType;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.DataTypeJsonParser;
import org.apache.paimon.types.DecimalType;
import org.apache.paimon.types.IntType;
import org.apache.paimon.types.LocalZonedTimestampType;
import org.apache.paimon.types.MapType;
import org.apache.paimon.types.MultisetType;
import org.apache.paimon.types.RowType;
import org.apache.paimon.types.TimestampType;

import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Values of Paimon to and from the JSON convention of tests/corpora/README.md. */
final class Values {
    private Values() {}

    static Object from(JsonNode n, DataType t) {
        if (n == null || n.isNull()) return null;
        switch (t.getTypeRoot()) {
            case CHAR:
            case VARCHAR:
                return BinaryString.fromString(n.asText());
            case BOOLEAN:
                return n.asBoolean();
            case BINARY:
            case VARBINARY:
                return Base64.getDecoder().decode(n.asText());
            case DECIMAL:
                {
                    DecimalType d = (DecimalType) t;
                    return Decimal.fromBigDecimal(
                            new BigDecimal(n.asText()), d.getPrecision(), d.getScale());
                }
            case TINYINT:
                return (byte) n.asInt();
            case SMALLINT:
                return (short) n.asInt();
            case INTEGER:
                return n.asInt();
            case BIGINT:
                return n.asLong();
            case FLOAT:
                return n.isTextual() ? Float.parseFloat(n.asText()) : (float) n.asDouble();
            case DOUBLE:
                return n.isTextual() ? Double.parseDouble(n.asText()) : n.asDouble();
            case DATE:
                return (int) LocalDate.parse(n.asText()).toEpochDay();
            case TIME_WITHOUT_TIME_ZONE:
                return (int) (LocalTime.parse(n.asText()).toNanoOfDay() / 1_000_000L);
            case TIMESTAMP_WITHOUT_TIME_ZONE:
                return Timestamp.fromLocalDateTime(LocalDateTime.parse(n.asText()));
            case TIMESTAMP_WITH_LOCAL_TIME_ZONE:
                return Timestamp.fromInstant(Instant.parse(n.asText()));
            case ARRAY:
                {
                    DataType e = ((ArrayType) t).getElementType();
                    Object[] a = new Object[n.size()];
                    for (int i = 0; i < a.length; i++) a[i] = from(n.get(i), e);
                    return new GenericArray(a);
                }
            case MAP:
                {
                    MapType m = (MapType) t;
                    Map<Object, Object> r = new LinkedHashMap<>();
                    for (JsonNode kv : n)
                        r.put(from(kv.get(0), m.getKeyType()), from(kv.get(1), m.getValueType()));
                    return new GenericMap(r);
                }
            case MULTISET:
                {
                    Map<Object, Object> r = new LinkedHashMap<>();
                    for (JsonNode kv : n)
                        r.put(
                                from(kv.get(0), ((MultisetType) t).getElementType()),
                                kv.get(1).asInt());
                    return new GenericMap(r);
                }
            case ROW:
                {
                    RowType rt = (RowType) t;
                    GenericRow g = new GenericRow(rt.getFieldCount());
                    for (int i = 0; i < rt.getFieldCount(); i++)
                        g.setField(i, from(n.get(rt.getFields().get(i).name()), rt.getTypeAt(i)));
                    return g;
                }
            default:
                throw new IllegalArgumentException("" + t);
        }
    }

    static String frac(Timestamp ts, int p) {
        LocalDateTime l = ts.toLocalDateTime();
        String s =
                String.format(
                        "%s%sT%02d:%02d:%02d",
                        l.getYear() > 9999 ? "+" : "",
                        l.toLocalDate().toString().replaceFirst("^\\+", ""),
                        l.getHour(),
                        l.getMinute(),
                        l.getSecond());
        if (p > 0) s += "." + String.format("%09d", l.getNano()).substring(0, p);
        return s;
    }

    static JsonNode to(Object o, DataType t) {
        if (o == null) return Json.NODES.nullNode();
        switch (t.getTypeRoot()) {
            case CHAR:
            case VARCHAR:
                return Json.NODES.textNode(o.toString());
            case BOOLEAN:
                return Json.NODES.booleanNode((Boolean) o);
            case BINARY:
            case VARBINARY:
                return Json.NODES.textNode(Base64.getEncoder().encodeToString((byte[]) o));
            case DECIMAL:
                return Json.NODES.textNode(((Decimal) o).toBigDecimal().toPlainString());
            case TINYINT:
                return Json.NODES.numberNode((byte) o);
            case SMALLINT:
                return Json.NODES.numberNode((short) o);
            case INTEGER:
                return Json.NODES.numberNode((int) o);
            case BIGINT:
                return Json.NODES.numberNode((long) o);
            case FLOAT:
                {
                    float f = (Float) o;
                    return Float.isFinite(f)
                            ? Json.NODES.numberNode(f)
                            : Json.NODES.textNode(Float.toString(f));
                }
            case DOUBLE:
                {
                    double f = (Double) o;
                    return Double.isFinite(f)
                            ? Json.NODES.numberNode(f)
                            : Json.NODES.textNode(Double.toString(f));
                }
            case DATE:
                return Json.NODES.textNode(LocalDate.ofEpochDay((int) o).toString());
            case TIME_WITHOUT_TIME_ZONE:
                {
                    LocalTime l = LocalTime.ofNanoOfDay(((int) o) * 1_000_000L);
                    return Json.NODES.textNode(
                            String.format(
                                    "%02d:%02d:%02d.%03d",
                                    l.getHour(),
                                    l.getMinute(),
                                    l.getSecond(),
                                    l.getNano() / 1_000_000));
                }
            case TIMESTAMP_WITHOUT_TIME_ZONE:
                return Json.NODES.textNode(frac((Timestamp) o, ((TimestampType) t).getPrecision()));
            case TIMESTAMP_WITH_LOCAL_TIME_ZONE:
                return Json.NODES.textNode(
                        frac((Timestamp) o, ((LocalZonedTimestampType) t).getPrecision()) + "Z");
            case ARRAY:
                {
                    DataType e = ((ArrayType) t).getElementType();
                    InternalArray a = (InternalArray) o;
                    InternalArray.ElementGetter g = InternalArray.createElementGetter(e);
                    ArrayNode r = Json.NODES.arrayNode();
                    for (int i = 0; i < a.size(); i++) r.add(to(g.getElementOrNull(a, i), e));
                    return r;
                }
            case MAP:
                return mapNode(
                        (InternalMap) o, ((MapType) t).getKeyType(), ((MapType) t).getValueType());
            case MULTISET:
                return mapNode((InternalMap) o, ((MultisetType) t).getElementType(), new IntType());
            case ROW:
                {
                    ObjectNode r = Json.NODES.objectNode();
                    RowType rt = (RowType) t;
                    for (int i = 0; i < rt.getFieldCount(); i++)
                        r.set(
                                rt.getFields().get(i).name(),
                                field((InternalRow) o, rt.getTypeAt(i), i));
                    return r;
                }
            default:
                throw new IllegalArgumentException("" + t);
        }
    }

    static JsonNode mapNode(InternalMap m, DataType k, DataType v) {
        InternalArray ks = m.keyArray(), vs = m.valueArray();
        InternalArray.ElementGetter kg = InternalArray.createElementGetter(k),
                vg = InternalArray.createElementGetter(v);
        List<ArrayNode> l = new ArrayList<>();
        for (int i = 0; i < ks.size(); i++) {
            ArrayNode a = Json.NODES.arrayNode();
            a.add(to(kg.getElementOrNull(ks, i), k));
            a.add(to(vg.getElementOrNull(vs, i), v));
            l.add(a);
        }
        l.sort(Comparator.comparing(x -> x.get(0).toString()));
        ArrayNode r = Json.NODES.arrayNode();
        l.forEach(r::add);
        return r;
    }

    static JsonNode field(InternalRow r, DataType t, int i) {
        if (r.isNullAt(i)) return Json.NODES.nullNode();
        return to(InternalRow.createFieldGetter(t, i).getFieldOrNull(r), t);
    }

    static ArrayNode row(InternalRow r, RowType t) {
        ArrayNode a = Json.NODES.arrayNode();
        for (int i = 0; i < t.getFieldCount(); i++) a.add(field(r, t.getTypeAt(i), i));
        return a;
    }

    static DataType type(JsonNode n) {
        return DataTypeJsonParser.parseDataType(n);
    }
}
