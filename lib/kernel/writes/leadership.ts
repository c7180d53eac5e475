import { type JobLogger } from '../../api/logger.js';
import { type Alarms, type JobAlarm } from '../../async/named-timers.js';
import { campaign, type Candidacy } from './election.js';
import { type AssignedFor, type Neglect } from '../rules/plan-input.js';
import { RESHARDING_PATIENCE_MS, type Sharding } from './assignment.js';

/** What a leader, or who wants to become one, needs. */
export interface LeadershipPorts extends Candidacy {
  readonly sharding: Sharding;
  readonly alarms: Alarms<JobAlarm>;
  readonly logger: JobLogger;
  /** Looks at the job once more. */
  readonly lookSoon: () => void;
}

/** How long a Java leader may take to ask for an assignment that is due. It does so at once if it does at all. */
const LEADER_PATIENCE_MS = 5_000;

/**
 * What a leader remembers between two looks: what it has assigned the items for, and how long it has been waiting; and what
 * others remember of a Java leader.
 */
export class Leadership {
  readonly #ports: LeadershipPorts;
  #assignedFor: AssignedFor | undefined;
  #patience: 'not asked for' | 'running' | 'over' = 'not asked for';
  #neglect: Neglect | undefined;
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

  get neglect(): Neglect | undefined {
    return this.#neglect;
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

  /** Gives a Java leader time to ask for an assignment by itself. */
  awaitLeader(basis: string): void {
    const { alarms, lookSoon } = this.#ports;
    this.#neglect = { basis, state: 'waiting' };
    alarms.set('neglect', LEADER_PATIENCE_MS, () => {
      this.#neglect = { basis, state: 'due' };
      lookSoon();
    });
  }

  /** Asks for an assignment in the leader's stead. */
  async remindLeader(basis: string): Promise<void> {
    await this.#ports.sharding.request('its leader has not noticed that instances or servers have changed');
    this.#neglect = { basis, state: 'asked' };
  }

  /** Assigns the items; see `Sharding.assign`. */
  async reshard(): Promise<void> {
    this.#assignedFor = await this.#ports.sharding.assign();
    this.#patience = 'not asked for';
    this.#ports.alarms.cancel('patience');
  }
}
