import { type ShardingInfo, ShardingStatisticsAPI } from '../../operations/sharding-statistics-api.js';
import { type ItemStatus } from '../../operations/statuses.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { type Invocation } from '../invocation.js';
import { type Tone } from '../terminal/style.js';
import { type Column } from '../terminal/table.js';

/** `items <job>`: the items of a job, their states and owners. */
export async function items(invocation: Invocation, jobName: string): Promise<ExitCode> {
  const rows = await new ShardingStatisticsAPI(await invocation.registry()).getShardingInfo(jobName);
  const empty = `Job '${jobName}' has no items yet: they are assigned before its first firing.`;
  invocation.output.list({ rows, columns: ITEM_COLUMNS, empty }, rows);
  return EXIT.done;
}

/** The columns of a list of items. */
export const ITEM_COLUMNS: readonly Column<ShardingInfo>[] = [
  { title: 'ITEM', text: ({ item }) => String(item), align: 'right' },
  { title: 'STATUS', text: ({ status }) => status, tone: ({ status }) => toneOfItem(status) },
  { title: 'SERVER', text: ({ serverIp = '-' }) => serverIp },
  { title: 'INSTANCE', text: ({ instanceId = '-' }) => instanceId },
  { title: 'TAKEN OVER', text: ({ failover }) => (failover ? 'yes' : ''), tone: () => 'doubtful' },
];

function toneOfItem(status: ItemStatus): Tone | undefined {
  switch (status) {
    case 'RUNNING':
      return 'busy';
    case 'PENDING':
      return undefined;
    case 'DISABLED':
      return 'faint';
    case 'SHARDING_FLAG':
      return 'doubtful';
    default:
      return status satisfies never;
  }
}
