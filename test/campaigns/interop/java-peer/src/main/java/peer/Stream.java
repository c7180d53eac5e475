package peer;

import java.util.List;
import org.apache.shardingsphere.elasticjob.api.ShardingContext;
import org.apache.shardingsphere.elasticjob.dataflow.job.DataflowJob;

/** The work of dataflow jobs: there are data for an item as long as it is blocked; each batch is written down as a run. */
public final class Stream implements DataflowJob<Integer> {
    private final Work work;

    Stream(final Work work) {
        this.work = work;
    }

    @Override
    public List<Integer> fetchData(final ShardingContext context) {
        return work.isBlocked(context) ? List.of(context.getShardingItem()) : null;
    }

    @Override
    public void processData(final ShardingContext context, final List<Integer> data) {
        work.batch(context);
    }
}
