import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.MiniDFSCluster;

/** HDFS with one datanode in a folder, as long as its input is open; it says when it answers. */
class Hdfs {
    public static void main(String[] given) throws Exception {
        Configuration settings = new Configuration();
        settings.set("hdfs.minidfs.basedir", given[0]);
        settings.set("dfs.namenode.fs-limits.min-block-size", "1024");
        MiniDFSCluster cluster = new MiniDFSCluster.Builder(settings)
                .numDataNodes(1)
                .nameNodePort(Integer.parseInt(given[1]))
                .nameNodeHttpPort(Integer.parseInt(given[2]))
                .build();
        cluster.waitActive();
        System.out.println("ready");
        System.out.flush();
        while (System.in.read() >= 0) {
            // until it is closed
        }
        cluster.shutdown();
        System.exit(0);
    }
}
