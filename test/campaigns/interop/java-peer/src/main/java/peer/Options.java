package peer;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Map;
import java.util.Map.Entry;
import org.apache.shardingsphere.elasticjob.api.JobConfiguration;

/** Settings in JSON, by the names of ElasticJob's own methods. */
final class Options {
    private Options() {
    }

    /** A job configuration, built by the builder's methods of the same names. `props` is an object of strings. */
    static JobConfiguration jobConfiguration(final JsonObject options) throws ReflectiveOperationException {
        JobConfiguration.Builder result = JobConfiguration.newBuilder(options.get("jobName").getAsString(), options.get("shardingTotalCount").getAsInt());
        for (Entry<String, JsonElement> each : options.entrySet()) {
            switch (each.getKey()) {
                case "jobName", "shardingTotalCount", "type" -> {
                }
                case "props" -> {
                    for (Map.Entry<String, JsonElement> prop : each.getValue().getAsJsonObject().entrySet()) {
                        result.setProperty(prop.getKey(), prop.getValue().getAsString());
                    }
                }
                default -> call(result, each.getKey(), each.getValue());
            }
        }
        return result.build();
    }

    /** Sets properties of a bean. */
    static void set(final Object bean, final JsonObject properties) throws ReflectiveOperationException {
        for (Entry<String, JsonElement> each : properties.entrySet()) {
            call(bean, "set" + Character.toUpperCase(each.getKey().charAt(0)) + each.getKey().substring(1), each.getValue());
        }
    }

    private static void call(final Object target, final String name, final JsonElement value) throws ReflectiveOperationException {
        Method method = Arrays.stream(target.getClass().getMethods())
                .filter(each -> each.getName().equals(name) && each.getParameterCount() == 1)
                .findFirst().orElseThrow(() -> new IllegalArgumentException(target.getClass().getName() + " has no method " + name));
        Object argument = RunLog.JSON.fromJson(value, method.getGenericParameterTypes()[0]);
        method.invoke(target, new Object[]{argument});
    }
}
