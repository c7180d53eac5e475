import { Inject, Injectable } from '@nestjs/common';
import { type SessionState } from '../registry/registry-center.js';
import { ElasticJobLifecycle } from './elastic-job.lifecycle.js';
import { type JobPhase } from '../kernel/job-state.js';

/** The state of the application's jobs, on this instance. */
export interface ElasticJobHealthReport {
  /** True if the session with the registry centre lives and every job that was started takes part. Jobs that were not started do not count. */
  readonly ready: boolean;
  /** Phase of the session with the registry centre; `none` before the application has booted, after shutdown, and if ElasticJob is switched off. */
  readonly session: SessionState['phase'] | 'none';
  /** Why the session is not connected, if that is known: `localhost:2181 refuses connections (…)`. Missing while it is connected. */
  readonly reason?: string;
  /** Description of the registry centre: kind, servers and namespace. Empty if `session` is `none`. */
  readonly registryCenter: string;
  /** Phase of each job, by job name: `active` takes part, `created` was not started; all others are not ready. */
  readonly jobs: Readonly<Record<string, JobPhase>>;
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
    const { host } = this.#lifecycle;
    if (host === undefined) return { ready: false, session: 'none', registryCenter: '', jobs: {} };
    const { state, reason } = host.registryCenter.session;
    const session = state.phase;
    const phases = [...host.jobs].map(([name, { phase }]) => [name, phase] as const);
    const ready = session === 'connected' && phases.every(([, phase]) => phase === 'active' || phase === 'created');
    return {
      ready,
      session,
      ...(reason !== undefined && { reason }),
      registryCenter: host.registryCenter.description,
      jobs: Object.fromEntries(phases),
    };
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
}
