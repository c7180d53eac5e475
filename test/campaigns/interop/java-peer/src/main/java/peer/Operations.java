package peer;

import com.google.gson.JsonObject;
import java.util.Map;
import org.apache.shardingsphere.elasticjob.infra.pojo.JobConfigurationPOJO;
import org.apache.shardingsphere.elasticjob.lite.lifecycle.api.JobAPIFactory;
import org.apache.shardingsphere.elasticjob.lite.lifecycle.api.JobConfigurationAPI;
import org.apache.shardingsphere.elasticjob.lite.lifecycle.api.JobOperateAPI;
import org.apache.shardingsphere.elasticjob.lite.lifecycle.api.JobStatisticsAPI;
import org.apache.shardingsphere.elasticjob.lite.lifecycle.api.ServerStatisticsAPI;
import org.apache.shardingsphere.elasticjob.lite.lifecycle.api.ShardingOperateAPI;
import org.apache.shardingsphere.elasticjob.lite.lifecycle.api.ShardingStatisticsAPI;

/** Operations by ElasticJob's lifecycle API. A job or a server that is null stands for all. */
final class Operations {
    private final JobOperateAPI jobs;

    private final ShardingOperateAPI items;

    private final JobConfigurationAPI configurations;

    private final JobStatisticsAPI jobStatistics;

    private final ShardingStatisticsAPI itemStatistics;

    private final ServerStatisticsAPI serverStatistics;

    Operations(final String servers, final String namespace) {
        jobs = JobAPIFactory.createJobOperateAPI(servers, namespace, null);
        items = JobAPIFactory.createShardingOperateAPI(servers, namespace, null);
        configurations = JobAPIFactory.createJobConfigurationAPI(servers, namespace, null);
        jobStatistics = JobAPIFactory.createJobStatisticsAPI(servers, namespace, null);
        itemStatistics = JobAPIFactory.createShardingStatisticsAPI(servers, namespace, null);
        serverStatistics = JobAPIFactory.createServerStatisticsAPI(servers, namespace, null);
    }

    void trigger(final String job) {
        jobs.trigger(job);
    }

    void disable(final String job, final String server) {
        jobs.disable(job, server);
    }

    void enable(final String job, final String server) {
        jobs.enable(job, server);
    }

    void shutdown(final String job, final String server) {
        jobs.shutdown(job, server);
    }

    void remove(final String job, final String server) {
        jobs.remove(job, server);
    }

    void disableItem(final String job, final String item) {
        items.disable(job, item);
    }

    void enableItem(final String job, final String item) {
        items.enable(job, item);
    }

    Object configuration(final String job) {
        return configurations.getJobConfiguration(job);
    }

    void configure(final String job, final JsonObject changes) throws ReflectiveOperationException {
        JobConfigurationPOJO configuration = configurations.getJobConfiguration(job);
        Options.set(configuration, changes);
        configurations.updateJobConfiguration(configuration);
    }

    void removeConfiguration(final String job) {
        configurations.removeJobConfiguration(job);
    }

    String dump(final String job, final int port) throws java.io.IOException {
        return jobs.dump(job, "127.0.0.1", port);
    }

    Object items(final String job) {
        return itemStatistics.getShardingInfo(job);
    }

    Object statistics(final String job) {
        return Map.of(
                "job", jobStatistics.getJobBriefInfo(job),
                "jobs", jobStatistics.getAllJobsBriefInfo(),
                "servers", serverStatistics.getAllServersBriefInfo());
    }
}
