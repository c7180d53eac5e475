package peer;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** The measures that benchmarks take within the process. */
final class Measures {
    private static final int FIRING_LIMIT_SECONDS = 20;

    private static final Semaphore ENDED = new Semaphore(0);

    private static volatile long computingNanos;

    private Measures() {
    }

    /** From now on, each run of an item takes so much of the processor's time. */
    static void computeFor(final long milliseconds) {
        computingNanos = TimeUnit.MILLISECONDS.toNanos(milliseconds);
    }

    /** Takes as much of the processor's time as was said. */
    static void compute() {
        if (computingNanos == 0) {
            return;
        }
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long end = threads.getCurrentThreadCpuTime() + computingNanos;
        while (threads.getCurrentThreadCpuTime() < end) {
            Thread.onSpinWait();
        }
    }

    /** A firing of a job with the listener EACH_INSTANCE is over on this instance. */
    static void firingEnded() {
        ENDED.release();
    }

    /** Runs a one-off job of that listener so often, one firing after the other. Returns their durations in milliseconds. */
    static List<Double> fire(final Jobs jobs, final String job, final int times) throws InterruptedException {
        List<Double> result = new ArrayList<>();
        ENDED.drainPermits();
        for (int time = 0; time < times; time++) {
            long began = System.nanoTime();
            jobs.execute(job);
            if (!ENDED.tryAcquire(FIRING_LIMIT_SECONDS, TimeUnit.SECONDS)) {
                throw new IllegalStateException("A firing of " + job + " did not end within " + FIRING_LIMIT_SECONDS + " s");
            }
            result.add((System.nanoTime() - began) / 1e6);
        }
        return result;
    }

    /** Bytes of the heap that are in use after a collection. */
    static Map<String, Long> memory() {
        MemoryMXBean memory = ManagementFactory.getMemoryMXBean();
        // The second collection frees the memory that finalizers and references release.
        memory.gc();
        memory.gc();
        return Map.of("heapBytes", memory.getHeapMemoryUsage().getUsed());
    }
}
