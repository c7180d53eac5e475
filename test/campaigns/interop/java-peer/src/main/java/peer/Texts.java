package peer;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.shardingsphere.elasticjob.infra.pojo.JobConfigurationPOJO;
import org.apache.shardingsphere.elasticjob.infra.yaml.YamlEngine;

/** ElasticJob's results of reading stored texts. */
final class Texts {
    private Texts() {
    }

    /** The result of {@link #parse} for each text, or the reason of its refusal. */
    static List<Map<String, Object>> parseAll(final JsonArray texts) {
        List<Map<String, Object>> result = new ArrayList<>();
        for (JsonElement each : texts) {
            try {
                result.add(parse(each.getAsString()));
            } catch (final Exception ex) {
                result.add(Map.of("refused", String.valueOf(ex), "cause", describe(rootOf(ex))));
            }
        }
        return result;
    }

    private static String describe(final Throwable ex) {
        return ex.getClass().getSimpleName() + ": " + ex.getMessage();
    }

    private static Throwable rootOf(final Throwable ex) {
        return ex.getCause() == null ? ex : rootOf(ex.getCause());
    }

    /** How ElasticJob stores configurations that an application has made. */
    static List<String> writeAll(final JsonArray configurations) throws ReflectiveOperationException {
        List<String> result = new ArrayList<>();
        for (JsonElement each : configurations) {
            result.add(YamlEngine.marshal(JobConfigurationPOJO.fromJobConfiguration(Options.jobConfiguration(each.getAsJsonObject()))));
        }
        return result;
    }

    /** A stored configuration as ElasticJob reads it, and as it would store it again. */
    static Map<String, Object> parse(final String yaml) {
        JobConfigurationPOJO configuration = YamlEngine.unmarshal(yaml, JobConfigurationPOJO.class);
        Map<String, Object> result = new LinkedHashMap<>();
        result.put("configuration", configuration);
        result.put("again", YamlEngine.marshal(JobConfigurationPOJO.fromJobConfiguration(configuration.toJobConfiguration())));
        return result;
    }
}
