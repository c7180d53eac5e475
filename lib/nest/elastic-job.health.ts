import { Inject, Injectable } from '@nestjs/common';
import { isReady, type JobHealth } from '../kernel/life/job-health.js';
import { type JobHost } from '../kernel/job-host.js';
import { type JobHosts } from './centers/job-hosts.js';
import { type Session, type SessionState } from '../registry/registry-center.js';
import { type TraceQueueStatus } from '../tracing/trace-queue.js';
import { DEFAULT_REG_CENTER } from '../settings/reg-center-names.js';
import { ElasticJobLifecycle } from './elastic-job.lifecycle.js';
import { type JobTracings } from './job-tracings.js';

/** The state of one registry centre of `elasticjob.regCenters`. */
export interface RegistryCenterHealth {
  /** Phase of the session with it. */
  readonly session: SessionState['phase'];
  /** Its kind, servers and namespace. */
  readonly registryCenter: string;
  /** The reason why the session is not `connected`; missing otherwise. */
  readonly reason?: string;
  /** Names of the jobs that this application has on it. */
  readonly jobs: readonly string[];
}

/** The state of the application's jobs, on this instance. */
export interface ElasticJobHealthReport {
  /**
   * False if no job of this process can ever run again, because the registry centre has closed the session for good: it
   * refuses the credentials. With several registry centres, all that have jobs must have done so. Only a new start of
   * the process helps. For liveness probes.
   */
  readonly live: boolean;
  /**
   * True if the jobs are as they are meant to be: the session lives with each registry centre that has jobs, and every
   * job that was started takes part and can run. Also true if ElasticJob is switched off, and for jobs that were not
   * started or that an operator has switched off. For readiness probes.
   */
  readonly ready: boolean;
  /**
   * The reason why the report is not `ready`: the session, or the jobs that cannot run. Also reports that ElasticJob is
   * switched off. Missing otherwise.
   */
  readonly reason?: string;
  /**
   * Phase of the session with the registry centre of `elasticjob.regCenter`; `none` before the application has booted
   * and after shutdown, `disabled` if ElasticJob is switched off (`elasticjob.enabled: false`).
   */
  readonly session: SessionState['phase'] | 'none' | 'disabled';
  /** Description of that registry centre: kind, servers and namespace. Empty if `session` is `none` or `disabled`. */
  readonly registryCenter: string;
  /** The state of each registry centre of `elasticjob.regCenters`, by name. Missing if there is none. */
  readonly registryCenters?: Readonly<Record<string, RegistryCenterHealth>>;
  /** State of each job, by job name, with the reason for every state but `active`. */
  readonly jobs: Readonly<Record<string, JobHealth>>;
  /** The trace events that wait for the database. Missing if runs are not recorded. Has no influence on `ready`. */
  readonly tracing?: TraceQueueStatus;
  /**
   * The trace events that wait for the databases that jobs name by `tracingDataSource`, by the name of the
   * `DataSource`. Missing if there is none. Has no influence on `ready`.
   */
  readonly tracingDataSources?: Readonly<Record<string, TraceQueueStatus>>;
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
    const { hosts, isSwitchedOff, tracing } = this.#lifecycle;
    if (hosts !== undefined) return reportOf(hosts, tracing);
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
   * The recording of runs as the result of a Terminus health indicator: `down` while a database refuses events or does
   * not answer, and while the queue of events that wait for it is four fifths full. Jobs run all the same, so do not use it
   * in a probe that takes instances out of service. `up` if runs are not recorded.
   * @param key the key of the result. Default: `elasticjobTracing`
   */
  isTracing<Key extends string = 'elasticjobTracing'>(
    key: Key = 'elasticjobTracing' as Key,
  ): Record<Key, { readonly status: 'up' | 'down' } & Partial<TraceQueueStatus> & TracingDataSources> {
    const { tracing, tracingDataSources } = this.report;
    const all = [...(tracing === undefined ? [] : [tracing]), ...Object.values(tracingDataSources ?? {})];
    const named = tracingDataSources === undefined ? {} : { tracingDataSources };
    const result = { status: all.every(keepsUp) ? 'up' : 'down', ...tracing, ...named } as const;
    return { [key]: result } as Record<Key, typeof result>;
  }
}

/** The databases that jobs name, in the result of a health indicator. */
type TracingDataSources = Pick<ElasticJobHealthReport, 'tracingDataSources'>;

/** The share of the places of the trace queue at which it counts as full. */
const FULL = 0.8;

/** @internal True if a trace queue takes events as fast as they come, as far as its status shows. */
export function keepsUp({ pending, maxPending, failingSince }: TraceQueueStatus): boolean {
  return failingSince === undefined && pending < FULL * maxPending;
}

function reportOf(hosts: JobHosts, tracings: JobTracings | undefined): ElasticJobHealthReport {
  const { isStopping, jobs } = hosts;
  const [tracing, named] = [tracings?.status(), tracings?.named ?? {}];
  const used = usedHosts(hosts);
  const faults = used.flatMap(([name, host]) => whyNotReady(name, host) ?? []);
  const reason = isStopping ? 'the application is shutting down' : faults.join('\n');
  const others = [...hosts.byName].filter(([name]) => name !== DEFAULT_REG_CENTER);
  const { session, registryCenter } = centerHealth(hosts.ofDefault);
  return {
    live: isStopping || used.some(([, host]) => host.registryCenter.session.state.phase !== 'closed'),
    ready: reason === '',
    ...(reason !== '' && { reason }),
    ...{ session, registryCenter },
    ...(others.length > 0 && {
      registryCenters: Object.fromEntries(others.map(([name, host]) => [name, centerHealth(host)])),
    }),
    jobs: Object.fromEntries([...jobs].map(([name, { health }]) => [name, health])),
    ...(tracing !== undefined && { tracing }),
    ...(Object.keys(named).length > 0 && { tracingDataSources: named }),
  };
}

/** The hosts that have jobs, by the name of their registry centre; all of them if none has. */
function usedHosts({ byName }: JobHosts): readonly (readonly [name: string, host: JobHost])[] {
  const used = [...byName].filter(([, { jobs }]) => jobs.size > 0);
  return used.length === 0 ? [...byName] : used;
}

function centerHealth({ registryCenter, jobs }: JobHost): RegistryCenterHealth {
  const { session, description } = registryCenter;
  const reason = whyNotConnected(session);
  return {
    session: session.state.phase,
    registryCenter: description,
    ...(reason !== undefined && { reason }),
    jobs: [...jobs.keys()],
  };
}

function whyNotConnected({ state: { phase }, reason }: Session): string | undefined {
  return phase === 'connected' ? undefined : (reason ?? `the session with the registry centre is ${phase}`);
}

function whyNotReady(name: string, { registryCenter, jobs }: JobHost): string | undefined {
  const reason = whyNotConnected(registryCenter.session);
  if (reason !== undefined) return name === DEFAULT_REG_CENTER ? reason : `registry centre '${name}': ${reason}`;
  const faults = [...jobs].map(([job, { health }]) => [job, health] as const).filter(([, health]) => !isReady(health));
  if (faults.length === 0) return undefined;
  return faults.map(([job, health]) => `job '${job}': ${'reason' in health ? health.reason : health.state}`).join('\n');
}
