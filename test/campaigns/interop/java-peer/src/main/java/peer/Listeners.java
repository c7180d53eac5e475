package peer;

import java.util.ArrayList;
import org.apache.shardingsphere.elasticjob.infra.listener.ElasticJobListener;
import org.apache.shardingsphere.elasticjob.infra.listener.ShardingContexts;
import org.apache.shardingsphere.elasticjob.lite.api.listener.AbstractDistributeOnceElasticJobListener;

/** Job listeners that write down when they are called. ElasticJob finds them by its service loader. */
public final class Listeners {
    /** The log in which they write; the service loader makes them, so that no caller can pass it. */
    static RunLog log;

    /** How long the one that is called once waits for the items of all instances to start, and to complete. */
    static long onceTimeoutMs;

    /** Makes them wait. */
    static Work work;

    private Listeners() {
    }

    private static void note(final String event, final ShardingContexts contexts) {
        log.note(event, "job", contexts.getJobName(), "items", new ArrayList<>(contexts.getShardingItemParameters().keySet()));
    }

    /** Called in each instance. */
    public static final class EachInstance implements ElasticJobListener {
        @Override
        public void beforeJobExecuted(final ShardingContexts contexts) {
            note("before", contexts);
        }

        @Override
        public void afterJobExecuted(final ShardingContexts contexts) {
            note("after", contexts);
            Measures.firingEnded();
        }

        @Override
        public String getType() {
            return "EACH_INSTANCE";
        }
    }

    /** Called once in the cluster. */
    public static final class Once extends AbstractDistributeOnceElasticJobListener {
        public Once() {
            super(onceTimeoutMs, onceTimeoutMs);
        }

        @Override
        public void doBeforeJobExecutedAtLastStarted(final ShardingContexts contexts) {
            note("once-before", contexts);
            work.awaitCall(contexts.getJobName(), "once-before");
        }

        @Override
        public void doAfterJobExecutedAtLastCompleted(final ShardingContexts contexts) {
            note("once-after", contexts);
            work.awaitCall(contexts.getJobName(), "once-after");
        }

        @Override
        public String getType() {
            return "ONCE";
        }
    }
}
