import { type ServerBriefInfo, ServerStatisticsAPI } from '../../operations/server-statistics-api.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { type Invocation } from '../invocation.js';
import { type Column } from '../terminal/table.js';

/** `servers`: all servers, with their instances and jobs. */
export async function servers(invocation: Invocation): Promise<ExitCode> {
  const registry = await invocation.registry();
  const rows = await new ServerStatisticsAPI(registry).getAllServersBriefInfo();
  const json = rows.map((row) => ({
    ...row,
    instances: [...row.instances].sort(),
    jobNames: [...row.jobNames].sort(),
  }));
  invocation.output.list({ rows, columns: COLUMNS, empty: `There is no server in ${registry.fullPath('/')}.` }, json);
  return EXIT.done;
}

const COLUMNS: readonly Column<ServerBriefInfo>[] = [
  { title: 'SERVER', text: ({ serverIp }) => serverIp },
  {
    title: 'INSTANCES',
    text: ({ instancesNum }) => String(instancesNum),
    tone: ({ instancesNum }) => (instancesNum === 0 ? 'doubtful' : undefined),
    align: 'right',
  },
  { title: 'JOBS', text: ({ jobsNum }) => String(jobsNum), align: 'right' },
  { title: 'DISABLED', text: ({ disabledJobsNum }) => String(disabledJobsNum), align: 'right' },
  { title: 'NAMES OF JOBS', text: ({ jobNames }) => [...jobNames].sort().join(', ') },
];
