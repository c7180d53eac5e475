import { Inject, Injectable } from '@nestjs/common';
import { isReady, type JobHealth } from '../kernel/life/job-health.js';
import { type JobHost } from '../kernel/job-host.js';
import { type Session, type SessionState } from '../registry/registry-center.js';
import { type TraceQueueStatus } from '../tracing/trace-queue.js';
import { ElasticJobLifecycle } from './elastic-job.lifecycle.js';

/** The state of the application's jobs, on this instance. */
export interface ElasticJobHealthReport {
  /**
   * False if no job of this process can ever run again, because the registry centre has closed the session for good: it
   * refuses the credentials. Only a new start of the process helps. For liveness probes.
   */
  readonly live: boolean;
  /**
   * True if the jobs are as they are meant to be: the session lives, and every job that was started takes part and can
   * run. Also true if ElasticJob is switched off, and for jobs that were not started or that an operator has switched
   * off. For readiness probes.
   */
  readonly ready: boolean;
  /**
   * The reason why the report is not `ready`: the session, or the jobs that cannot run. Also reports that ElasticJob is
   * switched off. Missing otherwise.
   */
  readonly reason?: string;
  /**
   * Phase of the session with the registry centre; `none` before the application has booted and after shutdown,
   * `disabled` if ElasticJob is switched off (`elasticjob.enabled: false`).
   */
  readonly session: SessionState['phase'] | 'none' | 'disabled';
  /** Description of the registry centre: kind, servers and namespace. Empty if `session` is `none` or `disabled`. */
  readonly registryCenter: string;
  /** State of each job, by job name, with the reason for every state but `active`. */
  readonly jobs: Readonly<Record<string, JobHealth>>;
  /** The trace events that wait for the database. Missing if runs are not recorded. Has no influence on `ready`. */
  readonly tracing?: TraceQueueStatus;
}

/**
 * Reports whether the application's jobs take part; injectable. For Terminus:
 * `health.check([() => elasticJobHealth.isHealthy('elasticjob')])`.
 * It reads only what this process knows, so it answers at once and never throws.
 */
@Injectable()
export class ElasticJobHealth {
  readonly #lifecycle: ElasticJobLifecycle;

  constructor(@Inject(ElasticJobLifecycle) lifecycle: ElasticJobLifecycle) {
    this.#lifecycle = lifecycle;
  }

  /** The present state of the jobs. */
  get report(): ElasticJobHealthReport {
    const { host, isSwitchedOff, tracing } = this.#lifecycle;
    if (host !== undefined) return reportOf(host, tracing?.status());
    const absent = { live: true, registryCenter: '', jobs: {} } as const;
    return isSwitchedOff
      ? { ...absent, ready: true, session: 'disabled', reason: 'elasticjob.enabled is false: no job runs here' }
      : { ...absent, ready: false, session: 'none', reason: 'the application has not booted, or is shutting down' };
  }

  /**
   * The report as the result of a Terminus health indicator: `{ elasticjob: { status: 'up', ready: true, … } }`.
   * @param key the key of the result. Default: `elasticjob`
   */
  isHealthy<Key extends string = 'elasticjob'>(
    key: Key = 'elasticjob' as Key,
  ): Record<Key, { readonly status: 'up' | 'down' } & ElasticJobHealthReport> {
    const { report } = this;
    const result = { status: report.ready ? 'up' : 'down', ...report } as const;
    return { [key]: result } as Record<Key, typeof result>;
  }

  /**
   * The state of this process as the result of a Terminus health indicator, for liveness probes: `down` if no job of
   * this process can ever run again. It stays `up` while the registry centre cannot be reached.
   * @param key the key of the result. Default: `elasticjob`
   */
  isLive<Key extends string = 'elasticjob'>(
    key: Key = 'elasticjob' as Key,
  ): Record<Key, { readonly status: 'up' | 'down' } & Pick<ElasticJobHealthReport, 'session' | 'reason'>> {
    const { live, session, reason } = this.report;
    const result = { status: live ? 'up' : 'down', session, ...(reason !== undefined && { reason }) } as const;
    return { [key]: result } as Record<Key, typeof result>;
  }

  /**
   * The recording of runs as the result of a Terminus health indicator: `down` while the database refuses events or
   * does not answer, and while the queue of waiting events is four fifths full. Jobs run all the same, so do not use it
   * in a probe that takes instances out of service. `up` if runs are not recorded.
   * @param key the key of the result. Default: `elasticjobTracing`
   */
  isTracing<Key extends string = 'elasticjobTracing'>(
    key: Key = 'elasticjobTracing' as Key,
  ): Record<Key, { readonly status: 'up' | 'down' } & Partial<TraceQueueStatus>> {
    const tracing = this.report.tracing;
    const result = { status: tracing === undefined || keepsUp(tracing) ? 'up' : 'down', ...tracing } as const;
    return { [key]: result } as Record<Key, typeof result>;
  }
}

/** The share of the places of the trace queue at which it counts as full. */
const FULL = 0.8;

/** @internal True if a trace queue takes events as fast as they come, as far as its status shows. */
export function keepsUp({ pending, maxPending, failingSince }: TraceQueueStatus): boolean {
  return failingSince === undefined && pending < FULL * maxPending;
}

function reportOf(
  { registryCenter, jobs, isStopping }: JobHost,
  tracing: TraceQueueStatus | undefined,
): ElasticJobHealthReport {
  const { session } = registryCenter;
  const { phase } = session.state;
  const healths = [...jobs].map(([name, { health }]) => [name, health] as const);
  const reason = isStopping ? 'the application is shutting down' : whyNotReady(session, healths);
  return {
    live: phase !== 'closed' || isStopping,
    ready: reason === undefined,
    ...(reason !== undefined && { reason }),
    session: phase,
    registryCenter: registryCenter.description,
    jobs: Object.fromEntries(healths),
    ...(tracing !== undefined && { tracing }),
  };
}

function whyNotReady(
  { state: { phase }, reason }: Session,
  jobs: readonly (readonly [name: string, health: JobHealth])[],
): string | undefined {
  if (phase !== 'connected') return reason ?? `the session with the registry centre is ${phase}`;
  const faults = jobs.filter(([, health]) => !isReady(health));
  if (faults.length === 0) return undefined;
  return faults
    .map(([name, health]) => `job '${name}': ${'reason' in health ? health.reason : health.state}`)
    .join('\n');
}
