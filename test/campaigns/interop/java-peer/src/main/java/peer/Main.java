package peer;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/**
 * An instance that is driven by its standard input.
 *
 * <pre>
 *   peer.Main --servers host:port --namespace ns [--runs file] [--ip a.b.c.d] [--session ms] [--once ms] [--trace '{"port": …, "database": …}'] [--job '{"jobName":…}']…
 *
 *   ["start", {"jobName": …, "shardingTotalCount": …, …}, …] registers jobs, and schedules them
 *   ["prepare", {…}]  ["schedule", job]                     the same in two steps
 *   ["execute", job]  ["stop", job]  ["close"]              one-off run; shut down; end the session, and the process
 *   ["block", job, item]  ["release", job, item]            job and item may be "*"; item may be "once-before" or "once-after"
 *   ["throw", job, item, true]  ["last", job, item, ms]
 *   ["trigger", job]  ["disable", job, ip]  …               what Operations has, by the same names
 *   ["fire", job, times]  ["memory"]  ["compute", ms]       what Measures has, by the same names
 *   ["properties", name]                                    of ElasticJob's own files, such as META-INF/sql/PostgreSQL.properties
 *   ["tree", path]  ["parse", yaml, or several]  ["write", configurations]  ["shares", strategy, clusters]
 * </pre>
 * Each command is answered by a line `> {"ok": …}` or `> {"error": "…"}`, in their order; so is the start, by the process's number.
 */
public final class Main {
    private final Map<String, String> arguments = new HashMap<>();

    private final Work work;

    private Jobs jobs;

    private Operations operations;

    private Tree tree;

    private Main(final String[] args) throws Exception {
        for (int index = 0; index + 1 < args.length; index += 2) {
            if (!args[index].equals("--job")) {
                arguments.put(args[index].substring(2), args[index + 1]);
            }
        }
        Listeners.log = new RunLog(arguments.get("runs"));
        Listeners.onceTimeoutMs = Long.parseLong(arguments.getOrDefault("once", "15000"));
        work = new Work(Listeners.log);
        Listeners.work = work;
        if (arguments.containsKey("ip")) {
            Jobs.pretendToBe(arguments.get("ip"));
        }
        for (int index = 0; index + 1 < args.length; index += 2) {
            if (args[index].equals("--job")) {
                jobs().start(JsonParser.parseString(args[index + 1]).getAsJsonObject());
            }
        }
    }

    public static void main(final String[] args) throws Exception {
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        Main main;
        try {
            main = new Main(args);
        } catch (final Exception ex) {
            out.println("> " + failure(ex));
            // Threads of what has been started would keep the process.
            System.exit(1);
            return;
        }
        out.println("> {\"ok\": " + ProcessHandle.current().pid() + "}");
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            out.println("> " + main.answer(JsonParser.parseString(line).getAsJsonArray()));
        }
        // The test is gone. Nothing is tidied up here, as ["close"] does that.
        Runtime.getRuntime().halt(0);
    }

    private String answer(final JsonArray command) {
        JsonObject answer = new JsonObject();
        try {
            answer.add("ok", RunLog.JSON.toJsonTree(perform(command)));
            return answer.toString();
        } catch (final Throwable ex) {
            return failure(ex);
        }
    }

    private static String failure(final Throwable ex) {
        StringWriter trace = new StringWriter();
        ex.printStackTrace(new PrintWriter(trace));
        JsonObject answer = new JsonObject();
        answer.addProperty("error", trace.toString());
        return answer.toString();
    }

    private Object perform(final JsonArray command) throws Exception {
        switch (text(command, 0)) {
            case "start" -> {
                for (int index = 1; index < command.size(); index++) {
                    jobs().start(command.get(index).getAsJsonObject());
                }
            }
            case "prepare" -> jobs().prepare(command.get(1).getAsJsonObject());
            case "schedule" -> jobs().schedule(text(command, 1));
            case "execute" -> jobs().execute(text(command, 1));
            case "stop" -> jobs().stop(text(command, 1));
            case "close" -> {
                jobs().close();
                Runtime.getRuntime().halt(0);
            }
            case "block" -> work.block(text(command, 1), text(command, 2));
            case "release" -> work.release(text(command, 1), text(command, 2));
            case "throw" -> work.fail(text(command, 1), text(command, 2), command.get(3).getAsBoolean());
            case "last" -> work.last(text(command, 1), text(command, 2), command.get(3).getAsLong());
            case "trigger" -> operations().trigger(text(command, 1));
            case "disable" -> operations().disable(text(command, 1), text(command, 2));
            case "enable" -> operations().enable(text(command, 1), text(command, 2));
            case "shutdown" -> operations().shutdown(text(command, 1), text(command, 2));
            case "remove" -> operations().remove(text(command, 1), text(command, 2));
            case "disableItem" -> operations().disableItem(text(command, 1), text(command, 2));
            case "enableItem" -> operations().enableItem(text(command, 1), text(command, 2));
            case "configure" -> operations().configure(text(command, 1), command.get(2).getAsJsonObject());
            case "removeConfiguration" -> operations().removeConfiguration(text(command, 1));
            case "configuration" -> {
                return operations().configuration(text(command, 1));
            }
            case "statistics" -> {
                return operations().statistics(text(command, 1));
            }
            case "fire" -> {
                return Measures.fire(jobs(), text(command, 1), command.get(2).getAsInt());
            }
            case "compute" -> Measures.computeFor(command.get(1).getAsLong());
            case "memory" -> {
                return Measures.memory();
            }
            case "dump" -> {
                return operations().dump(text(command, 1), command.get(2).getAsInt());
            }
            case "items" -> {
                return operations().items(text(command, 1));
            }
            case "properties" -> {
                return Traces.properties(text(command, 1));
            }
            case "tree" -> {
                return tree().read(text(command, 1));
            }
            case "shares" -> {
                return Strategies.shares(text(command, 1), command.get(2).getAsJsonArray());
            }
            case "parse" -> {
                return command.get(1).isJsonArray() ? Texts.parseAll(command.get(1).getAsJsonArray()) : Texts.parse(text(command, 1));
            }
            case "write" -> {
                return Texts.writeAll(command.get(1).getAsJsonArray());
            }
            default -> throw new IllegalArgumentException("Unknown command " + command);
        }
        return null;
    }

    private Jobs jobs() {
        if (jobs == null) {
            int sessionTimeoutMs = Integer.parseInt(arguments.getOrDefault("session", "4000"));
            jobs = new Jobs(arguments.get("servers"), arguments.get("namespace"), sessionTimeoutMs, work, Traces.of(arguments.get("trace")));
        }
        return jobs;
    }

    private Tree tree() {
        if (tree == null) {
            tree = new Tree(arguments.get("servers"));
        }
        return tree;
    }

    private Operations operations() {
        if (operations == null) {
            operations = new Operations(arguments.get("servers"), arguments.get("namespace"));
        }
        return operations;
    }

    private static String text(final JsonArray command, final int index) {
        JsonElement element = index < command.size() ? command.get(index) : null;
        return element == null || element.isJsonNull() ? null : element.getAsString();
    }
}
