package peer;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.ExponentialBackoffRetry;
import org.apache.zookeeper.KeeperException.NoNodeException;
import org.apache.zookeeper.data.Stat;

/** The stored nodes, read by Curator without ElasticJob's code. */
final class Tree {
    /** The value that the server gives as the owner of a container. */
    private static final long CONTAINER = Long.MIN_VALUE;

    private final CuratorFramework client;

    Tree(final String servers) {
        client = CuratorFrameworkFactory.newClient(servers, new ExponentialBackoffRetry(100, 5));
        client.start();
    }

    /**
     * All nodes from a path on, children sorted. Each has `path`, `kind` (persistent, container or ephemeral), `value`, `session`, `version`
     * (how often it was changed) and `change` (the number of its last change among all changes on the server).
     */
    List<Map<String, String>> read(final String path) throws Exception {
        List<Map<String, String>> result = new ArrayList<>();
        read(path, result);
        return result;
    }

    private void read(final String path, final List<Map<String, String>> result) throws Exception {
        Stat stat = new Stat();
        List<String> names;
        try {
            byte[] value = client.getData().storingStatIn(stat).forPath(path);
            long owner = stat.getEphemeralOwner();
            Map<String, String> node = new LinkedHashMap<>();
            node.put("path", path);
            node.put("kind", owner == 0 ? "persistent" : owner == CONTAINER ? "container" : "ephemeral");
            node.put("value", value == null ? null : new String(value, StandardCharsets.UTF_8));
            node.put("session", Long.toHexString(owner));
            node.put("version", String.valueOf(stat.getVersion()));
            node.put("change", String.valueOf(stat.getMzxid()));
            result.add(node);
            names = new ArrayList<>(client.getChildren().forPath(path));
        } catch (final NoNodeException ex) {
            return;
        }
        Collections.sort(names);
        for (String each : names) {
            read(path.equals("/") ? path + each : path + "/" + each, result);
        }
    }
}
