package peer;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.shardingsphere.elasticjob.api.ShardingContext;
import org.apache.shardingsphere.elasticjob.simple.job.SimpleJob;

/** The work of all jobs: writes down each run of an item, and lasts, blocks or fails as it was told; without a log it only computes. */
public final class Work implements SimpleJob {
    /** Stands for every job, or every item of one. */
    private static final String ALL = "*";

    private final RunLog log;

    private final Set<String> blocked = new HashSet<>();

    private final Set<String> throwing = new HashSet<>();

    private final Map<String, Long> lasting = new HashMap<>();

    private final AtomicInteger runs = new AtomicInteger();

    Work(final RunLog log) {
        this.log = log;
    }

    /** From now on, runs of the item do not end. */
    synchronized void block(final String job, final String item) {
        blocked.add(key(job, item));
    }

    /** Runs of the item end, and end by themselves from now on. */
    synchronized void release(final String job, final String item) {
        blocked.removeIf(each -> item.equals(ALL) ? job.equals(ALL) || each.startsWith(job + "/") : each.equals(key(job, item)));
        notifyAll();
    }

    /** From now on, or no longer, runs of the item end with an exception. */
    synchronized void fail(final String job, final String item, final boolean isToFail) {
        if (isToFail) {
            throwing.add(key(job, item));
        } else {
            throwing.remove(key(job, item));
        }
    }

    /** From now on, runs of the item last so long, in milliseconds. */
    synchronized void last(final String job, final String item, final long durationMs) {
        lasting.put(key(job, item), durationMs);
    }

    /** Waits while the call of a listener is blocked: by its name in place of an item, for "*" means items only. */
    synchronized void awaitCall(final String job, final String call) {
        try {
            while (blocked.contains(key(job, call))) {
                wait();
            }
        } catch (final InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void execute(final ShardingContext context) {
        if (!log.isOn()) {
            Measures.compute();
            return;
        }
        int run = runs.incrementAndGet();
        String job = context.getJobName();
        String item = String.valueOf(context.getShardingItem());
        log.note("start", "run", run, "job", job, "item", context.getShardingItem(), "task", context.getTaskId(),
                "total", context.getShardingTotalCount(), "jobParameter", context.getJobParameter(), "parameter", context.getShardingParameter());
        try {
            await(job, item);
        } catch (final InterruptedException ex) {
            log.note("interrupted", "run", run);
            Thread.currentThread().interrupt();
            return;
        }
        boolean isToFail = fits(throwing, job, item);
        log.note("end", "run", run, "failed", isToFail);
        if (isToFail) {
            throw new IllegalStateException("Item " + item + " was told to fail");
        }
    }

    /** True if runs of the item do not end. */
    boolean isBlocked(final ShardingContext context) {
        return fits(blocked, context.getJobName(), String.valueOf(context.getShardingItem()));
    }

    /** Writes down a run that lasts a tenth of a second, or until it is interrupted. */
    void batch(final ShardingContext context) {
        int run = runs.incrementAndGet();
        log.note("start", "run", run, "job", context.getJobName(), "item", context.getShardingItem(), "task", context.getTaskId());
        try {
            Thread.sleep(100);
        } catch (final InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
        log.note("end", "run", run, "failed", false);
    }

    private synchronized void await(final String job, final String item) throws InterruptedException {
        long began = System.nanoTime();
        while (true) {
            boolean isBlocked = fits(blocked, job, item);
            long left = duration(job, item) - (System.nanoTime() - began) / 1_000_000;
            if (!isBlocked && left <= 0) {
                return;
            }
            wait(isBlocked ? 0 : left);
        }
    }

    private long duration(final String job, final String item) {
        for (String each : new String[]{key(job, item), key(job, ALL), key(ALL, ALL)}) {
            if (lasting.containsKey(each)) {
                return lasting.get(each);
            }
        }
        return 0;
    }

    private synchronized boolean fits(final Set<String> keys, final String job, final String item) {
        return keys.contains(key(job, item)) || keys.contains(key(job, ALL)) || keys.contains(key(ALL, ALL));
    }

    private static String key(final String job, final String item) {
        return job + "/" + item;
    }
}
