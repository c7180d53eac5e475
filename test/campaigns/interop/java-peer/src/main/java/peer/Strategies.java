package peer;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import org.apache.shardingsphere.elasticjob.infra.handler.sharding.JobInstance;
import org.apache.shardingsphere.elasticjob.infra.handler.sharding.JobShardingStrategy;

/** The results of ElasticJob's sharding strategies for clusters. */
final class Strategies {
    private Strategies() {
    }

    /**
     * The shares by instance id, for clusters `{"job": …, "total": …, "instances": [[id, ip], …]}` whose instances are given
     * in the order in which the strategy is to see them; each with the times between which it was asked. Null if there is
     * no such strategy.
     */
    static List<Map<String, Object>> shares(final String type, final JsonArray clusters) {
        JobShardingStrategy strategy = null;
        for (JobShardingStrategy each : ServiceLoader.load(JobShardingStrategy.class)) {
            if (type.equals(String.valueOf(each.getType()))) {
                strategy = each;
            }
        }
        if (strategy == null) {
            return null;
        }
        List<Map<String, Object>> result = new ArrayList<>();
        for (JsonElement each : clusters) {
            JsonObject cluster = each.getAsJsonObject();
            List<JobInstance> instances = new ArrayList<>();
            for (JsonElement instance : cluster.getAsJsonArray("instances")) {
                JsonArray pair = instance.getAsJsonArray();
                instances.add(new JobInstance(pair.get(0).getAsString(), null, pair.get(1).getAsString()));
            }
            Map<String, List<Integer>> shares = new LinkedHashMap<>();
            long from = System.currentTimeMillis();
            strategy.sharding(instances, cluster.get("job").getAsString(), cluster.get("total").getAsInt())
                    .forEach((instance, items) -> shares.put(instance.getJobInstanceId(), items));
            result.add(Map.of("shares", shares, "from", from, "to", System.currentTimeMillis()));
        }
        return result;
    }
}
