/**
 * A process with a registry centre on PostgreSQL and a node of its session: started with the URL and the namespace. It
 * prints each state of its session, makes its node with each new one, and lives until it is killed.
 */
import { PostgresqlRegistryCenter } from '../../../lib/registry/postgresql/postgresql-registry-center.js';

const [url = '', namespace = ''] = process.argv.slice(2);
const centre = new PostgresqlRegistryCenter({ url, namespace, sessionTimeoutMilliseconds: 2_000 });
centre.session.onChange((state) => {
  console.log(state.phase);
  if (state.phase !== 'connected') return;
  centre.create(`/job/${process.pid}`, state.id, 'session').then(
    () => console.log('registered'),
    (error: unknown) => console.log(String(error)),
  );
});
centre.connect();
