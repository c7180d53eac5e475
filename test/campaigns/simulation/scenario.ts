import { type Fault } from './oracle.js';
import { Evidence } from './evidence.js';
import { nameOfId } from './marks.js';
import { FIRST_JOB, type History, jobsOf } from './history.js';
import { type Call, type Commit, type Recording, type Run } from './recording.js';
import { textOf } from './step-text.js';

/** Commands begin in the first column of a scenario, everything that happened is indented. */
interface Line {
  readonly atMs: number;
  readonly isCommand: boolean;
  readonly text: string;
}

/** A history as people read it: what was done, everything that came of it, and what is wrong with that. */
export function scenario(history: History, recording: Recording, faults: readonly Fault[]): string {
  const { job, behaviours, seed, poolSize, slowestMessageMs, features, onceListener, operationsACommit, sweepLateMs } =
    history;
  const items = behaviours.slice(0, job.shardingTotalCount).flatMap((behaviour, item) => {
    return behaviour === 'quick' ? [] : [`${item}=${behaviour}`];
  });
  const lines = [
    ...recording.played.map(({ atMs, text, step }) => ({ atMs, isCommand: step !== undefined, text })),
    ...jobsOf(history).flatMap(({ name }) => ofJob(name, history, recording)),
    ...callsOf(recording.calls),
  ].sort((one, other) => one.atMs - other.atMs);
  return [
    `# seed ${seed}: ${faults[0]?.text ?? 'nothing is wrong'}`,
    ...(features === undefined ? [] : [`features ${features.join(', ')}`]),
    `job      ${settingsText(job)}`,
    ...(items.length === 0 ? [] : [`items    ${items.join(' ')}`]),
    ...(history.others ?? []).map(
      (other) =>
        `${other.name.padEnd(8)} ${settingsText(other.job)} ${other.behaviours.slice(0, other.job.shardingTotalCount).join(',')}`,
    ),
    `world    messages=0-${slowestMessageMs}ms pool=${poolSize}` +
      (operationsACommit === undefined ? '' : ` operations=${operationsACommit}`) +
      (sweepLateMs === undefined ? '' : ` sweep=0-${sweepLateMs}ms late`),
    ...(onceListener === undefined ? [] : [`listener ${settingsText(onceListener)}`]),
    ...history.steps.map((step) => `${clockTime(step.atMs)} ${textOf(step)}`),
    '----',
    ...lines.map(({ atMs, isCommand, text }) => `${clockTime(atMs)} ${isCommand ? '' : '  '}${text}`),
    '----',
    ...faults.map(({ rule, text }) => `${rule}: ${text}`),
    '',
  ].join('\n');
}

/** Everything that became of one job. */
function ofJob(name: string, history: History, recording: Recording): readonly Line[] {
  const own = name === FIRST_JOB ? recording : recording.others?.get(name);
  if (own === undefined) return [];
  const { paths } = new Evidence(history, own, name);
  const lines = [...own.commits.flatMap((commit) => changesOf(paths, commit)), ...runsOf(own.runs)];
  return history.others === undefined ? lines : lines.map((line) => ({ ...line, text: `${name} · ${line.text}` }));
}

function settingsText(settings: object): string {
  return Object.entries(settings)
    .map(([key, value]) => (typeof value === 'object' ? settingsText(value as object) : `${key}=${value}`))
    .join(' ');
}

function clockTime(ms: number): string {
  return (ms / 1_000).toFixed(3).padStart(7);
}

function changesOf(paths: Evidence['paths'], { atMs, by, changes }: Commit): readonly Line[] {
  const told = changes.flatMap(({ path, before, after }) => {
    const node = paths.parse(path);
    const verb = after === undefined ? '−' : before === undefined ? '+' : '';
    switch (node.type) {
      case 'instance':
        return [`${verb}registration of ${nameOfId(node.id)}`];
      case 'leader':
        return [after === undefined ? `${nameOfId(before ?? '')} leads no more` : `${nameOfId(after)} leads`];
      case 'server':
        return [`server ${node.ip} ${after ?? 'gone'}`];
      case 'resharding':
        return [`${verb}resharding`];
      case 'trigger':
        return [`${verb}trigger ${nameOfId(node.id)}`];
      case 'crashedItem':
        return [`${verb}crashed ${node.item}`];
      case 'itemMark':
        if (node.mark === 'instance') return [`${node.item}→${nameOfId(after ?? 'nobody')}`];
        return [`${verb}${node.mark} ${node.item}`];
      case 'config':
        return [before === undefined ? 'configuration' : 'configuration changed'];
      default:
        return [];
    }
  });
  return told.length === 0 ? [] : [{ atMs, isCommand: false, text: `${by}: ${told.join(' · ')}` }];
}

function runsOf(runs: readonly Run[]): readonly Line[] {
  return runs.flatMap(({ instance, item, scheduledMs, begunMs, endedMs, end, token }) => [
    {
      atMs: begunMs,
      isCommand: false,
      text: `${instance} begins ${item} ${scheduledMs === undefined ? 'manual' : `for ${clockTime(scheduledMs).trim()}`} (token ${token})`,
    },
    ...(endedMs === undefined ? [] : [{ atMs: endedMs, isCommand: false, text: `${instance} ${end} ${item}` }]),
  ]);
}

function callsOf(calls: readonly Call[]): readonly Line[] {
  return calls.flatMap(({ instance, phase, scheduledMs, items, begunMs, endedMs, end }) => {
    const firing = scheduledMs === undefined ? 'the manual firing' : `the firing of ${clockTime(scheduledMs).trim()}`;
    const what = `the call ${phase} ${firing}`;
    return [
      { atMs: begunMs, isCommand: false, text: `${instance} begins ${what}, items ${items.join(',') || 'none'}` },
      ...(endedMs === undefined ? [] : [{ atMs: endedMs, isCommand: false, text: `${instance} ${end} ${what}` }]),
    ];
  });
}
