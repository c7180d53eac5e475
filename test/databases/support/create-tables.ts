/** Creates the tables of the trace, at once from several connections: the environment's `TRACE_DATABASE` says where. */
import { RdbTraceStorage } from '../../../lib/tracing/rdb/rdb-trace-storage.js';
import { dataSource, type ServerAddress } from './servers.js';

const { database, ...server } = JSON.parse(process.env['TRACE_DATABASE'] ?? '') as ServerAddress & { database: string };
const sources = [1, 2, 3].map(() => dataSource(server, { database }));
for (const source of sources) await source.initialize();
await Promise.all(sources.map((source) => new RdbTraceStorage(source).prepare(new AbortController().signal)));
for (const source of sources) await source.destroy();
console.log('prepared');
