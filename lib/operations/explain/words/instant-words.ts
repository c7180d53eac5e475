import { type InstantCause } from '../explanation.js';
import { at, be, by, cure, have, lower, unstopped, words, type WordsOf } from './words.js';

/** Sentences about causes that concern one instant. */
export const INSTANT_WORDS: WordsOf<InstantCause> = {
  'not-scheduled': ({ before, after }, { job, instant }) =>
    words(
      `The schedule of ${lower(job)} has no instant${instant}; ${before === undefined ? 'it has none before' : `the one before is ${at(before)}`}, ${after === undefined ? 'and none after' : `the one after is ${at(after)}`}.`,
      cure('ask-other-instant', 'Ask about one of these, or correct the cron expression or the time zone.'),
    ),
  rescheduled: ({ cron, record }, { job }) =>
    words(
      `The schedule of ${lower(job)} was changed since then${by(record)}; before, it was '${cron ?? ''}'.`,
      undefined,
    ),
  'still-to-come': (_, { job, instant }) =>
    words(`The firing of ${lower(job)} at${instant} is still to come.`, undefined),
  ran: ({ instanceId, startedAt, outcome, failureCause }, scene) =>
    words(
      `${scene.subject} did run: it began at ${at(startedAt)}${instanceId === undefined ? '' : ` on ${instanceId}`}, and ${RAN[outcome]}${failureCause === undefined ? '' : `: ${failureCause.split('\n', 1).join('')}`}.`,
      outcome === 'failed'
        ? cure('log-of-failure', 'Look at the log of that instance; failover and misfire do not repeat runs that fail.')
        : undefined,
    ),
  begun: ({ instanceId, state }, scene) =>
    words(
      `${scene.subject} ${be({ ...scene, isPast: true })} begun for${scene.instant} on ${instanceId}${BEGUN[state]}.`,
      state === 'running'
        ? undefined
        : cure('log-of-run', 'If it did nothing, look at the log of that instance: the run has failed or was aborted.'),
    ),
  'begun-and-lost': ({ instanceId, failover }, scene) =>
    words(
      `${scene.subject} ${be({ ...scene, isPast: true })} begun for${scene.instant} on ${instanceId}, which died before the run had ended; ${failover ? 'an idle instance runs it again' : 'no instance runs it again, as failover is off'}.`,
      failover
        ? undefined
        : cure('failover-or-trigger', 'Switch failover on if another instance shall run it again, or trigger the job.'),
    ),
  'later-begun': ({ instant, startedAt }, scene) =>
    words(
      `${scene.subject} ${have(scene)} been begun ${instant === undefined ? 'manually since' : `for a later instant since, ${at(instant)}`}${startedAt === undefined ? '' : `; one run, begun at ${at(startedAt)}, makes up for the firings that were missed`}.`,
      cure(
        'one-run-makes-up',
        'One run makes up for all firings that were missed while an item was running or changed its owner.',
      ),
    ),
  'misfire-off': ({ since }, scene) =>
    words(
      `${scene.subject} ${be({ ...scene, isPast: true })} still running then${since === undefined ? '' : `, since ${at(since)}`}, and misfire is off, so the firing was dropped.`,
      cure(
        'misfire-on',
        'Switch misfire on if one run shall make up for such firings, or give the runs more time between firings.',
      ),
    ),
  'put-off': ({ instanceId, message, at: when }, scene) =>
    words(
      `The firing of ${lower(scene.subject)} could not begin at ${at(when)}${instanceId === undefined ? '' : ` on ${instanceId}`} and was put off: ${unstopped(message)}.`,
      cure('follows-soon', 'It follows as soon as it can; if not, look at the log of that instance.'),
    ),
  aborted: ({ instanceId, message, at: when }, scene) =>
    words(
      `The run of ${lower(scene.subject)} was aborted at ${at(when)}${instanceId === undefined ? '' : ` on ${instanceId}`}${message === '' ? '' : `: ${unstopped(message)}`}.`,
      cure(
        'session-lost',
        'Its session was lost, or its process had to end; with failover another instance runs it again.',
      ),
    ),
  refused: ({ instanceId, message, at: when }, scene) =>
    words(
      `The run of ${lower(scene.subject)} failed at ${at(when)}${instanceId === undefined ? '' : ` on ${instanceId}`}: ${unstopped(message)}.`,
      cure('correct-cause', 'Correct the cause that the message names.'),
    ),
  'changed-hands': ({ from, to, missed }, scene) =>
    words(
      `${scene.subject} ${have(scene)} changed the owner since: ${from} began ${scene.isOne ? 'it' : 'them'} last, and the owner is ${to ?? 'none'} now; ${missed === 1 ? 'one instant has' : `${missed} instants have`} passed in between${missed > 1 ? ', of which only the last is made up for' : ', which is made up for'}.`,
      undefined,
    ),
  'not-recorded': ({ why }, scene) =>
    words(
      `There is no record of whether ${lower(scene.subject)} ran${scene.instant === '' ? '' : ` for${scene.instant}`}: ${why === 'java' ? 'the owner is a Java instance' : 'monitorExecution is off'}.`,
      cure('record-runs', 'Record runs in a database (tracing.type: RDB) to know it next time.'),
    ),
  'not-begun': ({ lastBegun }, scene) =>
    words(
      `No instance has begun ${lower(scene.subject)}${scene.instant === '' ? '' : ` for${scene.instant}`}${lastBegun === undefined ? '' : `; the last instant that was begun is ${at(lastBegun)}`}, and nothing on record says why.`,
      cure(
        'owner-log',
        'Look at the log of the owner around that time: its process may have been frozen or cut off, or its clock may be behind.',
      ),
    ),
};

const BEGUN = {
  running: ', and still runs',
  over: '',
  gone: ', which is gone since; if it died before the run had ended, the run is made again only with failover',
} as const;

const RAN = { succeeded: 'succeeded', failed: 'failed', running: 'has not ended as far as the trace knows' } as const;
