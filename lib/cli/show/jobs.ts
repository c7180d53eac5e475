import { type JobBriefInfo, JobStatisticsAPI } from '../../operations/job-statistics-api.js';
import { type JobStatus } from '../../operations/statuses.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { type Invocation } from '../invocation.js';
import { type Tone } from '../terminal/style.js';
import { type Column } from '../terminal/table.js';

/** `jobs`: all jobs of the namespace, or those of one server. */
export async function jobs(invocation: Invocation, { server }: { readonly server?: string }): Promise<ExitCode> {
  const registry = await invocation.registry();
  const statistics = new JobStatisticsAPI(registry);
  const rows = await (server === undefined ? statistics.getAllJobsBriefInfo() : statistics.getJobsBriefInfo(server));
  const where = server === undefined ? registry.fullPath('/') : `${registry.fullPath('/')} on server ${server}`;
  const columns = server === undefined ? JOB_COLUMNS : JOB_COLUMNS.filter(({ title }) => ON_SERVER.includes(title));
  invocation.output.list({ rows, columns, empty: `There is no job in ${where}.` }, rows);
  return EXIT.done;
}

/** The columns of a list of jobs. */
export const JOB_COLUMNS: readonly Column<JobBriefInfo>[] = [
  { title: 'JOB', text: ({ jobName }) => jobName },
  { title: 'STATUS', text: ({ status }) => status, tone: ({ status }) => toneOfJob(status) },
  { title: 'ITEMS', text: itemCount, align: 'right' },
  { title: 'INSTANCES', text: ({ instanceCount }) => String(instanceCount), align: 'right' },
  { title: 'CRON', text: ({ cron, configurationProblem }) => cron ?? (configurationProblem === undefined ? '' : '?') },
  {
    title: 'DESCRIPTION',
    text: ({ description = '', configurationProblem }) => configurationProblem ?? description,
    tone: ({ configurationProblem }) => (configurationProblem === undefined ? undefined : 'bad'),
  },
];

const ON_SERVER = ['JOB', 'STATUS', 'INSTANCES'];

/** The colour of a job's status. */
export function toneOfJob(status: JobStatus): Tone {
  switch (status) {
    case 'OK':
      return 'good';
    case 'DISABLED':
      return 'faint';
    case 'SHARDING_FLAG':
    case 'HIDDEN':
      return 'doubtful';
    case 'CRASHED':
      return 'bad';
    default:
      return status satisfies never;
  }
}

function itemCount({ shardingTotalCount, configurationProblem }: JobBriefInfo): string {
  return configurationProblem === undefined ? String(shardingTotalCount) : '?';
}
