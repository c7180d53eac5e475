import { describeItems } from '../../../kernel/view/items.js';
import { type NodeRound } from '../../../graphs/graph-round.js';
import { type JobCause, type ServerOff } from '../explanation.js';
import { commandLine } from '../../command-line.js';
import { by, cure, lower, unstopped, words, type WordsOf } from './words.js';

/** Sentences about causes that concern the whole job. */
export const JOB_WORDS: WordsOf<Exclude<JobCause, { readonly type: 'switched-off' }>> = {
  'unknown-job': ({ similar, record }, { job, path }) =>
    words(
      `${job} does not exist: there is no node ${path('config').replace(/\/config$/, '')}${record === undefined ? '' : `; it was removed${by(record)}`}${similar === undefined ? '' : `; did you mean '${similar}'?`}`.replace(
        /([^?.])$/,
        '$1.',
      ),
      cure('check-name', 'Check the name and the namespace; an application that has the job stores it when it starts.'),
    ),
  'no-configuration': (_, { job, path }) =>
    words(
      `${job} has no settings: there is no node ${path('config')}.`,
      cure(
        'restart-application',
        'Restart an application that has the job, which then stores its own settings, or restore the node.',
      ),
    ),
  'unreadable-configuration': ({ fault }, { job, path }) =>
    words(
      `The settings of ${lower(job)} cannot be used: ${unstopped(fault)}.`,
      cure(
        'write-settings',
        `Write valid settings to ${path('config')}, or delete that node and restart an instance, which then stores its own.`,
      ),
    ),
  'too-many-items': ({ shardingTotalCount, limit }, { job, path }) =>
    words(
      `${job} has ${shardingTotalCount} items, more than the ${limit} that this library takes.`,
      cure('reduce-items', `Reduce shardingTotalCount in ${path('config')}.`),
    ),
  'no-instance': ({ stopped }, { job }) =>
    words(
      `${job} has no living instance${stopped.length === 0 ? '' : `; those that stopped last: ${stopped.slice(0, 3).join(', ')}`}.`,
      cure(
        'start-application',
        'Start an application that has the job, and check that it has the same namespace; its log and health report say whether it has registered.',
      ),
    ),
  'servers-disabled': ({ servers }, { job, jobName }) =>
    words(
      `All servers with instances of ${lower(job)} are disabled: ${offServers(servers)}.`,
      cure(
        'enable-job',
        `Enable one of them: ${commandLine('enable', jobName, '--server', servers[0]?.serverIp ?? '')}, JobOperateAPI.enable(), or write ENABLED to its node.`,
        commandLine('enable', jobName),
      ),
    ),
  'no-leader': (_, { job }) =>
    words(
      `${job} has no leader, so no items are assigned.`,
      cure(
        'clean-latch',
        'An election takes moments; if this lasts, a node below leader/election/latch whose process is gone is in its way: delete it.',
      ),
    ),
  'unknown-leader': ({ leader, isPersistent }, { job, path }) =>
    words(
      `The leader of ${lower(job)} is ${leader}, which is not a living instance${isPersistent ? ', and its node is persistent, as copies and backups make it' : ''}.`,
      cure('delete-leader', `Delete ${path('leader')}; instances elect another leader then.`),
    ),
  'being-assigned': ({ leader, waitsFor }, { job }) =>
    words(
      `The items of ${lower(job)} wait to be assigned by the leader ${leader}${waitsFor.length === 0 ? '' : `, which waits for the running items ${describeItems(waitsFor)}`}; no item begins before that.`,
      cure(
        'leader-log',
        'If this lasts, the log and the health report of the leader say what keeps it from assigning, such as a sharding strategy that fails.',
      ),
    ),
  'no-schedule': (_, { job, jobName, path }) =>
    words(
      `${job} has no cron expression: it runs only when it is triggered.`,
      cure(
        'trigger-or-schedule',
        `Trigger it (${commandLine('trigger', jobName)}), or write a cron expression to ${path('config')}.`,
        commandLine('trigger', jobName),
      ),
    ),
  'runs-after': ({ upstreams, round }, { job }) =>
    words(
      `${job} has no cron expression: it runs after ${upstreams.join(', ')}, for the instants for which these have completed their rounds.${inRound(round)}`,
      cure(
        'explain-upstreams',
        `If it should have run, look why they have not: ${commandLine('explain', upstreams[0] ?? '')}.`,
        commandLine('explain', upstreams[0] ?? ''),
      ),
    ),
  'unusable-schedule': ({ fault }, { job, path }) =>
    words(
      `The schedule of ${lower(job)} cannot be used: ${unstopped(fault)}.`,
      cure(
        'correct-schedule',
        `Correct cron and timeZone in ${path('config')}; instances that run already keep the former schedule until then.`,
      ),
    ),
  'instance-fault': ({ instanceId, isHere, alsoOn, state, reason }, { job }) =>
    words(
      `On ${isHere ? 'this instance,' : 'instance'} ${instanceId}${others(alsoOn)}, ${lower(job)} is ${state}: ${unstopped(reason)}.`,
    ),
  'schedule-over': (_, { job, path }) =>
    words(
      `The schedule of ${lower(job)} has no instant any more.`,
      cure('new-schedule', `Write another cron expression to ${path('config')}.`),
    ),
};

const offServers = (servers: readonly ServerOff[]): string =>
  servers.map(({ serverIp, record }) => `${serverIp}${by(record)}`).join('; ');

/** The most further instances with the same fault that a sentence names. */
const MOST_NAMED = 3;

function others(ids: readonly string[]): string {
  if (ids.length === 0) return '';
  const rest = ids.length - MOST_NAMED;
  return `, and also on ${ids.slice(0, MOST_NAMED).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

/** The state of a job in a round of its graph, as a sentence after another one. */
function inRound(round: NodeRound | undefined): string {
  if (round === undefined) return '';
  const { state, waitingFor, since, failedItems, madeUpBy, takesPart } = round;
  const from = since === undefined ? '' : ` since ${since.toISOString()}`;
  switch (state) {
    case 'waiting':
      return waitingFor.length > 0
        ? ` In the round of that instant, it waits for ${waitingFor.join(', ')}${from}.`
        : ` In the round of that instant, it is due${from}, and no instance has begun it yet.`;
    case 'running':
      return ` In the round of that instant, it runs${from}.`;
    case 'succeeded':
      return ` In the round of that instant, it has succeeded${since === undefined ? '' : ` at ${since.toISOString()}`}.`;
    case 'failed':
      return ` In the round of that instant, its items ${describeItems(failedItems)} have failed.`;
    case 'stopped':
      return ' In the round of that instant, it was stopped: a job before it has failed, an operator has stopped it, or the round took too long.';
    case 'skipped':
      if (madeUpBy !== undefined) return ` One run made up for that instant, in the round ${madeUpBy.toISOString()}.`;
      return takesPart
        ? ' In the round of that instant, it was skipped: a job before it has failed, or an operator has skipped it.'
        : ' Not all jobs before it have a round of that instant (afterMatch).';
    default:
      return state satisfies never;
  }
}
