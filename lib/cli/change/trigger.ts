import { JobOperateAPI } from '../../operations/job-operate-api.js';
import { type TriggeredInstance, type TriggeredJob } from '../../operations/changes/triggered-job.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { type Invocation } from '../invocation.js';
import { type ChangeOptions } from '../surroundings.js';
import { type Tone } from '../terminal/style.js';
import { type Column } from '../terminal/table.js';
import { contextOf } from './context.js';

/** Options of `trigger`. */
export interface TriggerOptions extends Pick<ChangeOptions, 'reason'> {
  /** The job parameter of these runs. Default: that of the settings. */
  readonly parameter?: string;
  /** The only items that run. Default: all. */
  readonly items?: readonly number[];
  /** The only server whose instances are triggered. Default: all. */
  readonly server?: string;
  /** Triggers this job alone, although others run after it. */
  readonly only?: boolean;
  /** Waits until the triggered runs have ended. */
  readonly wait?: boolean;
  /** The most milliseconds to wait. */
  readonly waitTimeout: number;
}

/** `trigger <job>`: makes all instances run their items now, or the owners of some items only these items. */
export async function trigger(invocation: Invocation, jobName: string, options: TriggerOptions): Promise<ExitCode> {
  const { output, operations } = invocation;
  const { parameter: jobParameter, items, server, only = false, wait = false, waitTimeout } = options;
  const how = {
    ...contextOf(options),
    ...(jobParameter !== undefined && { jobParameter }),
    ...(items !== undefined && { items }),
    ...(server !== undefined && { serverIp: server }),
    ...(only && { only }),
  };
  const triggered = await new JobOperateAPI(await invocation.registry(), operations).trigger(jobName, how);
  const { instances, round } = triggered;
  if (!output.isJson) output.list({ rows: instances, columns: columns(items), empty: '' }, instances);
  if (round !== undefined) output.note(`The jobs after it run, too: round ${round.toISOString()} of its graph.`);
  const willRun = instances.some((each) => each.willRun);
  if (!willRun) output.note('No instance runs it: see the answers.');
  const ended = wait && willRun ? await end(invocation, triggered, waitTimeout) : undefined;
  if (output.isJson) output.json({ jobName, instances, round, ended: ended?.ended, record: invocation.record });
  if (ended?.failure !== undefined) throw ended.failure;
  return willRun ? EXIT.done : EXIT.state;
}

async function end(
  { output }: Invocation,
  triggered: TriggeredJob,
  timeoutMs: number,
): Promise<{ readonly ended: boolean; readonly failure?: Error }> {
  try {
    await triggered.ended({ timeoutMs });
    output.note('The runs have ended.');
    return { ended: true };
  } catch (failure) {
    return { ended: false, failure: failure as Error };
  }
}

function columns(items: readonly number[] | undefined): readonly Column<TriggeredInstance>[] {
  const what = items === undefined ? 'its items' : 'those of the items that it owns';
  return [
    { title: 'SERVER', text: ({ serverIp }) => serverIp },
    { title: 'INSTANCE', text: ({ instanceId }) => instanceId },
    { title: 'ANSWER', text: ({ answer }) => answer, tone: toneOf },
    { title: '', text: (instance) => meaningOf(instance, what) },
  ];
}

function toneOf({ answer }: TriggeredInstance): Tone {
  switch (answer) {
    case 'taken':
      return 'good';
    case 'busy':
    case 'waiting':
      return 'doubtful';
    case 'gone':
      return 'bad';
    default:
      return answer satisfies never;
  }
}

function meaningOf({ answer, willRun }: TriggeredInstance, what: string): string {
  switch (answer) {
    case 'taken':
      return `runs ${what}`;
    case 'busy':
      return willRun ? `runs ${what} again when they have ended` : 'drops the trigger, as its items are running';
    case 'waiting':
      return `runs ${what} as soon as it accepts the trigger`;
    case 'gone':
      return 'ended before it accepted the trigger';
    default:
      return answer satisfies never;
  }
}
