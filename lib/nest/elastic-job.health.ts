import { Inject, Injectable } from '@nestjs/common';
import { type SessionState } from '../registry/registry-center.js';
import { ElasticJobLifecycle } from './elastic-job.lifecycle.js';
import { type JobPhase } from '../kernel/job-state.js';

/** How the jobs of this application stand. */
export interface ElasticJobHealthReport {
  /** Whether the session with the registry centre lives and every job that was started takes part. */
  readonly ready: boolean;
  /** Where the session with the registry centre stands; `none` before the application has booted, or if ElasticJob is switched off. */
  readonly session: SessionState['phase'] | 'none';
  /** The registry centre, as `description` says it; empty if there is none. */
  readonly registryCenter: string;
  /** Phase of each job, by name; `active` is the good one, `created` was not started yet. */
  readonly jobs: Readonly<Record<string, JobPhase>>;
}

/**
 * Says whether jobs run; injectable. For Terminus: `health.check([() => elasticJobHealth.isHealthy('elasticjob')])`.
 * It only looks at what is known in this process, and so answers at once.
 */
@Injectable()
export class ElasticJobHealth {
  readonly #lifecycle: ElasticJobLifecycle;

  constructor(@Inject(ElasticJobLifecycle) lifecycle: ElasticJobLifecycle) {
    this.#lifecycle = lifecycle;
  }

  /** How the jobs stand now. */
  get report(): ElasticJobHealthReport {
    const { host } = this.#lifecycle;
    if (host === undefined) return { ready: false, session: 'none', registryCenter: '', jobs: {} };
    const session = host.registryCenter.session.state.phase;
    const phases = [...host.jobs].map(([name, { phase }]) => [name, phase] as const);
    const ready = session === 'connected' && phases.every(([, phase]) => phase === 'active' || phase === 'created');
    return { ready, session, registryCenter: host.registryCenter.description, jobs: Object.fromEntries(phases) };
  }

  /** The report in the form of a Terminus health indicator's result. */
  isHealthy<Key extends string = 'elasticjob'>(
    key: Key = 'elasticjob' as Key,
  ): Record<Key, { readonly status: 'up' | 'down' } & ElasticJobHealthReport> {
    const { report } = this;
    const result = { status: report.ready ? 'up' : 'down', ...report } as const;
    return { [key]: result } as Record<Key, typeof result>;
  }
}
