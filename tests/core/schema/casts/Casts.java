import org.apache.paimon.casting.*;
import org.apache.paimon.data.*;
import org.apache.paimon.types.*;
import java.math.BigDecimal;
import java.util.*;

/**
 * Prints what every cast of Paimon makes of some values, a line a pair of types: {@code source,
 * target, rule, value => result ...}, separated by tabs; {@code !} marks an error. Its output in
 * two time zones is kept beside it.
 */
public final class Casts {
  private Casts() {}

  static String s(Object o){
    if(o==null) return "null";
    if(o instanceof byte[]) { StringBuilder b=new StringBuilder("x"); for(byte x:(byte[])o) b.append(String.format("%02x",x)); return b.toString(); }
    if(o instanceof Timestamp) return ((Timestamp)o).getMillisecond()+"+"+((Timestamp)o).getNanoOfMillisecond();
    if(o instanceof Decimal) return ((Decimal)o).toBigDecimal().toPlainString();
    return o.toString();
  }
  static BinaryString b(String x){return BinaryString.fromString(x);}
  static Decimal d(String x,int p,int s){return Decimal.fromBigDecimal(new BigDecimal(x),p,s);}
  static Timestamp t(long ms,int n){return Timestamp.fromEpochMillis(ms,n);}
  public static void main(String[] a){
    Map<DataType,Object[]> in=new LinkedHashMap<>();
    in.put(DataTypes.BOOLEAN(), new Object[]{true,false});
    in.put(DataTypes.TINYINT(), new Object[]{(byte)-128,(byte)0,(byte)127});
    in.put(DataTypes.SMALLINT(), new Object[]{(short)-32768,(short)0,(short)383});
    in.put(DataTypes.INT(), new Object[]{Integer.MIN_VALUE,0,383,Integer.MAX_VALUE});
    in.put(DataTypes.BIGINT(), new Object[]{Long.MIN_VALUE,0L,1700000000L,Long.MAX_VALUE,-5L});
    in.put(DataTypes.FLOAT(), new Object[]{0.1f,-0.0f,1e10f,3.4028235e38f,1.4e-45f,Float.NaN,Float.POSITIVE_INFINITY,123456.789f,9999999f,0.001f,0.00099f,-2.5f,16777216f,2.5f,0.5f});
    in.put(DataTypes.DOUBLE(), new Object[]{0.1,-0.0,1e10,1e7,9999999.0,1.7976931348623157e308,4.9e-324,Double.NaN,Double.NEGATIVE_INFINITY,123456.789,0.001,0.00099,-2.5,2.5,1e20,1e22,2e-3,100.0,12345678.9,1.005,0.5,-0.5,99999999.995});
    in.put(DataTypes.DECIMAL(5,2), new Object[]{d("123.45",5,2),d("-0.05",5,2),d("-999.99",5,2),d("0.50",5,2)});
    in.put(DataTypes.DECIMAL(38,18), new Object[]{d("12345678901234567890.123456789012345678",38,18),d("-0.000000000000000001",38,18)});
    in.put(DataTypes.CHAR(6), new Object[]{b("12.7"),b("true"),b("abc   "),b(" 1")});
    in.put(DataTypes.STRING(), new Object[]{b("12.7"),b("T"),b("abc"),b("2024-2-3"),b("2024-02-03 04:05:06.123456789"),b("2024-02-03T04:05:06"),b("04:05:06.789"),b("4:5:6"),b("04:05"),b("1e3"),b("+7"),b("-1.5"),b("NaN"),b("Infinity"),b("0x10"),b("128"),b("99999999999"),b(""),b("2024-02-03 04:05"),b("2024-02-03"),b("2024-13-01"),b("  "),b("5."),b(".5"),b("1.5f"),b("1_0"),b("yes"),b("2024-02-30"),b("24:00:00"),b("2024-2-3 4:5:6"),b("2024-02-03 04:05:06.1"),b("12:34:56.7891234"),b("-inf"),b("123456789012345678901234567890123456789"),b("2024-02-03 04:05:06.123456789Z"),b("10000-01-01"),b("1"),b("0.005")});
    in.put(DataTypes.BINARY(3), new Object[]{new byte[]{65,66,67}});
    in.put(DataTypes.BYTES(), new Object[]{new byte[]{65,66,67},new byte[]{(byte)0xff,65}, new byte[]{}});
    in.put(DataTypes.DATE(), new Object[]{19857,-1,-719528, 2932897});
    in.put(DataTypes.TIME(3), new Object[]{0,14706789,86399999});
    in.put(DataTypes.TIME(0), new Object[]{0,14706789,86399999});
    in.put(DataTypes.TIME(9), new Object[]{14706789});
    in.put(DataTypes.TIMESTAMP(0), new Object[]{t(1700000000000L,0),t(-1000,0)});
    in.put(DataTypes.TIMESTAMP(3), new Object[]{t(1700000000123L,0),t(-1,0),t(-86400001L,0)});
    in.put(DataTypes.TIMESTAMP(6), new Object[]{t(1700000000123L,456000),t(-1,999000)});
    in.put(DataTypes.TIMESTAMP(9), new Object[]{t(1700000000120L,0),t(1700000000123L,456789),t(-1,999999)});
    in.put(DataTypes.TIMESTAMP_WITH_LOCAL_TIME_ZONE(3), new Object[]{t(1700000000123L,0),t(-1,0)});
    in.put(DataTypes.TIMESTAMP_WITH_LOCAL_TIME_ZONE(9), new Object[]{t(1700000000123L,456789),t(-1,999999)});
    in.put(DataTypes.ARRAY(DataTypes.INT()), new Object[]{new GenericArray(new Object[]{1,null,3}), new GenericArray(new Object[]{})});
    in.put(DataTypes.ARRAY(DataTypes.DOUBLE()), new Object[]{new GenericArray(new Object[]{1e10,null})});
    in.put(DataTypes.ARRAY(DataTypes.STRING()), new Object[]{new GenericArray(new Object[]{b("a, b"),null})});
    Map<Object,Object> m=new LinkedHashMap<>(); m.put(b("a"),1); m.put(b("b"),null);
    in.put(DataTypes.MAP(DataTypes.STRING(),DataTypes.INT()), new Object[]{new GenericMap(m), new GenericMap(new HashMap<>())});
    in.put(DataTypes.ROW(DataTypes.FIELD(0,"x",DataTypes.INT()),DataTypes.FIELD(1,"y",DataTypes.STRING())), new Object[]{GenericRow.of(1,b("q")),GenericRow.of(null,null)});
    in.put(DataTypes.ROW(DataTypes.FIELD(0,"x",DataTypes.ARRAY(DataTypes.INT())),DataTypes.FIELD(1,"y",DataTypes.DATE())), new Object[]{GenericRow.of(new GenericArray(new Object[]{1,null}),19857)});
    DataType[] out={DataTypes.BOOLEAN(),DataTypes.TINYINT(),DataTypes.SMALLINT(),DataTypes.INT(),DataTypes.BIGINT(),DataTypes.FLOAT(),DataTypes.DOUBLE(),DataTypes.DECIMAL(6,1),DataTypes.DECIMAL(38,2),DataTypes.CHAR(6),DataTypes.VARCHAR(4),DataTypes.STRING(),DataTypes.BINARY(5),DataTypes.VARBINARY(2),DataTypes.BYTES(),DataTypes.DATE(),DataTypes.TIME(3),DataTypes.TIME(0),DataTypes.TIMESTAMP(0),DataTypes.TIMESTAMP(3),DataTypes.TIMESTAMP(9),DataTypes.TIMESTAMP_WITH_LOCAL_TIME_ZONE(0),DataTypes.TIMESTAMP_WITH_LOCAL_TIME_ZONE(9)};
    for(DataType i:in.keySet()) for(DataType o:out){
      CastExecutor<Object,Object> ex=null; String err=null;
      try{ ex=(CastExecutor<Object,Object>)(CastExecutor)CastExecutors.resolve(i,o);}catch(Throwable e){err=e.toString();}
      boolean rule=false; try{rule=DataTypeCasts.supportsExplicitCast(i,o);}catch(Throwable e){}
      if(ex==null){ if(rule) System.out.println(i+"\t"+o+"\tNOIMPL "+(err==null?"":err)); continue;}
      StringBuilder sb=new StringBuilder();
      for(Object v:in.get(i)){ String r; try{ r=s(ex.cast(v)); }catch(Throwable e){ r="!"+e.getClass().getSimpleName(); } sb.append("\t"+s(v)+" => "+r); }
      System.out.println(i+"\t"+o+"\t"+(rule?"E":"norule")+sb);
    }
  }
}
