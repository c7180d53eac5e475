package peer;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.lang.reflect.Field;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.shardingsphere.elasticjob.api.ElasticJob;
import org.apache.shardingsphere.elasticjob.api.JobConfiguration;
import org.apache.shardingsphere.elasticjob.infra.env.IpUtils;
import org.apache.shardingsphere.elasticjob.lite.api.bootstrap.JobBootstrap;
import org.apache.shardingsphere.elasticjob.lite.api.bootstrap.impl.OneOffJobBootstrap;
import org.apache.shardingsphere.elasticjob.lite.api.bootstrap.impl.ScheduleJobBootstrap;
import org.apache.shardingsphere.elasticjob.reg.zookeeper.ZookeeperConfiguration;
import org.apache.shardingsphere.elasticjob.reg.zookeeper.ZookeeperRegistryCenter;

/** The jobs of this process. */
final class Jobs {
    private final Work work;

    private final Traces traces;

    private final Map<String, JobBootstrap> bootstraps = new LinkedHashMap<>();

    private final ZookeeperRegistryCenter registryCenter;

    Jobs(final String servers, final String namespace, final int sessionTimeoutMs, final Work work, final Traces traces) {
        this.work = work;
        this.traces = traces;
        ZookeeperConfiguration configuration = new ZookeeperConfiguration(servers, namespace);
        configuration.setSessionTimeoutMilliseconds(sessionTimeoutMs);
        configuration.setConnectionTimeoutMilliseconds(Math.min(sessionTimeoutMs, 3_000));
        configuration.setBaseSleepTimeMilliseconds(100);
        configuration.setMaxSleepTimeMilliseconds(500);
        registryCenter = new ZookeeperRegistryCenter(configuration);
        registryCenter.init();
    }

    /** ElasticJob has no setting for an address that is not the machine's, and tests want several servers on one machine. */
    static void pretendToBe(final String ip) throws ReflectiveOperationException {
        Field field = IpUtils.class.getDeclaredField("cachedIpAddress");
        field.setAccessible(true);
        field.set(null, ip);
    }

    /** Registers a job. With a cron expression it is scheduled at once. */
    void start(final JsonObject options) throws ReflectiveOperationException {
        prepare(options);
        String job = options.get("jobName").getAsString();
        if (bootstrap(job) instanceof ScheduleJobBootstrap) {
            schedule(job);
        }
    }

    /** Registers a job. With a cron expression it is yet to be scheduled. */
    void prepare(final JsonObject options) throws ReflectiveOperationException {
        JobConfiguration configuration = traces.addTo(Options.jobConfiguration(options));
        bootstraps.put(configuration.getJobName(), bootstrap(configuration, options.get("type")));
    }

    /** The type DATAFLOW is a class of this program; any other one is ElasticJob's. */
    private JobBootstrap bootstrap(final JobConfiguration configuration, final JsonElement type) {
        if (type != null && !type.getAsString().equals("DATAFLOW")) {
            return new ScheduleJobBootstrap(registryCenter, type.getAsString(), configuration);
        }
        ElasticJob job = type == null ? work : new Stream(work);
        return configuration.getCron() == null
                ? new OneOffJobBootstrap(registryCenter, job, configuration)
                : new ScheduleJobBootstrap(registryCenter, job, configuration);
    }

    void schedule(final String job) {
        ((ScheduleJobBootstrap) bootstrap(job)).schedule();
    }

    /** Runs a one-off job once, everywhere. */
    void execute(final String job) {
        ((OneOffJobBootstrap) bootstrap(job)).execute();
    }

    /** Ends this process's part in a job. */
    void stop(final String job) {
        bootstrap(job).shutdown();
        bootstraps.remove(job);
    }

    /** Ends the session, after which nothing of this process is left in the registry centre that ends with it. */
    void close() {
        registryCenter.close();
    }

    private JobBootstrap bootstrap(final String job) {
        JobBootstrap result = bootstraps.get(job);
        if (result == null) {
            throw new IllegalArgumentException("There is no job " + job + " here");
        }
        return result;
    }
}
