package peer;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The runs of this instance: one JSON object a line, in the file before the work goes on, so that SIGKILL loses none.
 * Without a file nothing is written: for benchmarks, which measure only ElasticJob.
 */
final class RunLog {
    static final Gson JSON = new GsonBuilder().disableHtmlEscaping().create();

    private final FileOutputStream file;

    RunLog(final String path) throws IOException {
        file = path == null ? null : new FileOutputStream(path, true);
    }

    boolean isOn() {
        return file != null;
    }

    /** Notes an event with the time of the machine's clock, in milliseconds, and further pairs of names and values. */
    void note(final String event, final Object... pairs) {
        if (!isOn()) {
            return;
        }
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("event", event);
        line.put("at", System.currentTimeMillis());
        for (int index = 0; index < pairs.length; index += 2) {
            line.put((String) pairs[index], pairs[index + 1]);
        }
        synchronized (this) {
            try {
                file.write((JSON.toJson(line) + "\n").getBytes(StandardCharsets.UTF_8));
            } catch (final IOException ex) {
                throw new UncheckedIOException(ex);
            }
        }
    }
}
