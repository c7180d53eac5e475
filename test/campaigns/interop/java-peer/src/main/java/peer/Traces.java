package peer;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.zaxxer.hikari.HikariDataSource;
import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;
import javax.sql.DataSource;
import org.apache.shardingsphere.elasticjob.api.JobConfiguration;
import org.apache.shardingsphere.elasticjob.tracing.api.TracingConfiguration;

/** ElasticJob's event tracing into a PostgreSQL database of this machine; without a database, none. */
final class Traces {
    private final HikariDataSource database;

    private Traces(final HikariDataSource database) {
        this.database = database;
    }

    /** Of a database given by `{"port": …, "database": …}`; of none if that is null. */
    static Traces of(final String address) {
        if (address == null) {
            return new Traces(null);
        }
        JsonObject given = JsonParser.parseString(address).getAsJsonObject();
        HikariDataSource database = new HikariDataSource();
        database.setJdbcUrl("jdbc:postgresql://127.0.0.1:" + given.get("port").getAsInt() + "/" + given.get("database").getAsString());
        database.setUsername("postgres");
        return new Traces(database);
    }

    JobConfiguration addTo(final JobConfiguration configuration) {
        if (database != null) {
            configuration.getExtraConfigurations().add(new TracingConfiguration<DataSource>("RDB", database));
        }
        return configuration;
    }

    /** A file of properties among those of ElasticJob. */
    static Properties properties(final String name) throws IOException {
        try (InputStream stream = Traces.class.getClassLoader().getResourceAsStream(name)) {
            Properties result = new Properties();
            result.load(stream);
            return result;
        }
    }
}
