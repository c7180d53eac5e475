/**
 * Reasons, cures and limits as codes, for translations: the console's page has a text for each of these codes. If a
 * cause has several sentences, each sentence has a code: `owner-gone.died`.
 */

/** The codes of all sentences about causes. */
export const REASON_CODES = [
  'switched-off',
  'unknown-job',
  'unknown-job.removed',
  'no-configuration',
  'unreadable-configuration',
  'too-many-items',
  'no-instance',
  'no-instance.stopped',
  'servers-disabled',
  'no-leader',
  'unknown-leader',
  'unknown-leader.persistent',
  'being-assigned',
  'being-assigned.waits',
  'no-schedule',
  'unusable-schedule',
  'schedule-over',
  'instance-fault.blocked',
  'instance-fault.failed',
  'instance-fault.impaired',
  'instance-fault.created',
  'instance-fault.starting',
  'instance-fault.suspended',
  'no-such-item',
  'left-out',
  'left-out.then',
  'item-disabled',
  'still-running.made-up-for',
  'still-running.dropped',
  'run-lost',
  'run-lost.failover',
  'taken-over',
  'no-owner',
  'owner-gone.stopped',
  'owner-gone.died',
  'owner-gone.unknown',
  'owner-stopping',
  'owner-unreadable',
  'owner-disabled.DISABLED',
  'owner-disabled.UNKNOWN',
  'owner-disabled.MISSING',
  'misfired',
  'manual-run-due',
  'triggered',
  'free',
  'free.next',
  'not-scheduled',
  'rescheduled',
  'still-to-come',
  'ran.succeeded',
  'ran.failed',
  'ran.running',
  'begun.running',
  'begun.over',
  'begun.gone',
  'begun-and-lost',
  'begun-and-lost.failover',
  'later-begun',
  'later-begun.manual',
  'misfire-off',
  'put-off',
  'aborted',
  'refused',
  'changed-hands',
  'not-recorded.unmonitored',
  'not-recorded.java',
  'not-begun',
] as const;

/** The code of one reason. */
export type ReasonCode = (typeof REASON_CODES)[number];

/** The codes of all cures. */
export const CURE_CODES = [
  'accepts-soon',
  'add-instance',
  'ask-other-instant',
  'ask-other-item',
  'assigned-soon',
  'await-takeover',
  'check-name',
  'clean-latch',
  'correct-cause',
  'correct-schedule',
  'delete-leader',
  'enable-item',
  'enable-job',
  'enable-server',
  'end-static-sharding',
  'failover-on',
  'failover-or-trigger',
  'follows-soon',
  'lasting-run',
  'lasting-script',
  'leader-log',
  'log-of-run',
  'log-of-failure',
  'misfire-on',
  'new-schedule',
  'one-run-makes-up',
  'owner-log',
  'raise-or-ask',
  'record-runs',
  'reduce-items',
  'restart-application',
  'restart-instance',
  'session-lost',
  'start-application',
  'switch-on',
  'trigger-or-schedule',
  'write-settings',
] as const;

/** The code of one cure. */
export type CureCode = (typeof CURE_CODES)[number];

/** The codes of all facts that cannot be known here. */
export const LIMIT_CODES = [
  'other-applications',
  'java-types',
  'unattributed',
  'unrecorded',
  'untraced',
  'no-operations',
  'unended',
  'no-instants',
  'java-runs',
  'frozen',
  'past-unreadable',
] as const;

/** The code of one limit. */
export type LimitCode = (typeof LIMIT_CODES)[number];

/** The values in a sentence by name; an instant is in milliseconds since 1970. */
export type CodeValues = Readonly<Record<string, string | number | { readonly instant: number }>>;
