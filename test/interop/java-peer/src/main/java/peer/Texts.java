package peer;

import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.shardingsphere.elasticjob.infra.pojo.JobConfigurationPOJO;
import org.apache.shardingsphere.elasticjob.infra.yaml.YamlEngine;

/** What ElasticJob makes of stored texts. */
final class Texts {
    private Texts() {
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
