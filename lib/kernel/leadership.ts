import { type JobLogger } from '../api/logger.js';
import { type Alarms, type JobAlarm } from './alarms.js';
import { campaign, type Candidacy } from './election.js';
import { type AssignedFor } from './plan.js';
import { RESHARDING_PATIENCE_MS, type Sharding } from './sharding.js';

/** What a leader, or who wants to become one, needs. */
export interface LeadershipPorts extends Candidacy {
  readonly sharding: Sharding;
  readonly alarms: Alarms<JobAlarm>;
  readonly logger: JobLogger;
  /** Looks at the job once more. */
  readonly lookSoon: () => void;
}

/** What a leader remembers between two looks: what it has assigned the items for, and how long it has been waiting. */
export class Leadership {
  readonly #ports: LeadershipPorts;
  #assignedFor: AssignedFor | undefined;
  #patience: 'not asked for' | 'running' | 'over' = 'not asked for';
  #isCampaigning = false;

  constructor(ports: LeadershipPorts) {
    this.#ports = ports;
  }

  get assignedFor(): AssignedFor | undefined {
    return this.#assignedFor;
  }

  get patienceIsOver(): boolean {
    return this.#patience === 'over';
  }

  /** Forgets everything: what an earlier leadership of this instance assigned says nothing of what its successors did. */
  forget(): void {
    this.#assignedFor = undefined;
    this.#patience = 'not asked for';
    this.#ports.alarms.cancel('patience');
  }

  /** Stands for election beside the control lane, because the latch may be held by an instance that has just died. */
  campaignSoon(): void {
    if (this.#isCampaigning || this.#ports.alarms.isSet('election')) return;
    this.#isCampaigning = true;
    this.forget();
    const { logger, alarms, lookSoon, paths, me } = this.#ports;
    campaign(this.#ports)
      .then((won) => {
        alarms.succeeded('election');
        if (won) logger.log(`Job '${paths.jobName}': instance ${me} leads.`);
      })
      .catch((error: unknown) => {
        const cause = error instanceof Error && error.cause instanceof Error ? ` (${error.cause.message})` : '';
        logger.warn(`Job '${paths.jobName}': could not stand for election, and tries again: ${String(error)}${cause}`);
        // Until then nobody here stands again, whatever happens: a registry centre that refuses it would be asked without end.
        alarms.setRetry('election', lookSoon);
      })
      .finally(() => {
        this.#isCampaigning = false;
        lookSoon();
      });
  }

  /** Gives running items time to finish, once for each assignment. */
  awaitIdleItems(items: readonly number[]): void {
    if (this.#patience !== 'not asked for') return;
    const { logger, alarms, lookSoon, paths } = this.#ports;
    this.#patience = 'running';
    logger.debug(`Job '${paths.jobName}': to assign the items, the running ones are waited for: ${items.join(',')}`);
    alarms.set('patience', RESHARDING_PATIENCE_MS, () => {
      this.#patience = 'over';
      lookSoon();
    });
  }

  /** Assigns the items; see `Sharding.assign`. */
  async reshard(): Promise<void> {
    this.#assignedFor = await this.#ports.sharding.assign();
    this.#patience = 'not asked for';
    this.#ports.alarms.cancel('patience');
  }
}
