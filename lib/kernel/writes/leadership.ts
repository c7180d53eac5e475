import { type JobLogger } from '../../api/logger.js';
import { type NamedTimers } from '../../async/named-timers.js';
import { campaign, type Candidacy } from './election.js';
import { type OverdueAssignment } from '../rules/plan-input.js';
import { IDLE_ITEMS_DEADLINE_MS, type Sharding } from './assignment.js';
import { type AssignedFor } from '../view/assignment.js';
import { type JobTimer } from '../view/job-context.js';

/** What a leader, or who wants to become one, needs. */
export interface LeadershipPorts extends Candidacy {
  readonly sharding: Sharding;
  readonly timers: NamedTimers<JobTimer>;
  readonly logger: JobLogger;
  /** Looks at the job once more. */
  readonly requestReconcile: () => void;
}

/** How long a Java leader may take to ask for an assignment that is due. It does so at once if it does at all. */
const JAVA_LEADER_DEADLINE_MS = 5_000;

/**
 * What a leader remembers between two looks: what it has assigned the items for, and how long it has been waiting; and what
 * others remember of a Java leader.
 */
export class Leadership {
  readonly #ports: LeadershipPorts;
  #assignedFor: AssignedFor | undefined;
  #patience: 'not asked for' | 'running' | 'over' = 'not asked for';
  #overdueAssignment: OverdueAssignment | undefined;
  #isCampaigning = false;

  constructor(ports: LeadershipPorts) {
    this.#ports = ports;
  }

  get assignedFor(): AssignedFor | undefined {
    return this.#assignedFor;
  }

  get idleItemsDeadlinePassed(): boolean {
    return this.#patience === 'over';
  }

  get overdueAssignment(): OverdueAssignment | undefined {
    return this.#overdueAssignment;
  }

  /** Forgets everything: what an earlier leadership of this instance assigned says nothing of what its successors did. */
  forget(): void {
    this.#assignedFor = undefined;
    this.#patience = 'not asked for';
    this.#ports.timers.cancel('idle-items-deadline');
  }

  /** Stands for election beside the control lane, because the latch may be held by an instance that has just died. */
  campaignSoon(): void {
    if (this.#isCampaigning || this.#ports.timers.isSet('election')) return;
    this.#isCampaigning = true;
    this.forget();
    const { logger, timers, requestReconcile, me } = this.#ports;
    campaign(this.#ports)
      .then((won) => {
        timers.succeeded('election');
        if (won) logger.log(`instance ${me} leads.`);
      })
      .catch((error: unknown) => {
        const cause = error instanceof Error && error.cause instanceof Error ? ` (${error.cause.message})` : '';
        logger.warn(`could not stand for election, and tries again: ${String(error)}${cause}`);
        // Until then nobody here stands again, whatever happens: a registry centre that refuses it would be asked without end.
        timers.setRetry('election', requestReconcile);
      })
      .finally(() => {
        this.#isCampaigning = false;
        requestReconcile();
      });
  }

  /** Gives running items time to finish, once for each assignment. */
  awaitIdleItems(items: readonly number[]): void {
    if (this.#patience !== 'not asked for') return;
    const { logger, timers, requestReconcile } = this.#ports;
    this.#patience = 'running';
    logger.debug(`to assign the items, the running ones are waited for: ${items.join(',')}`);
    timers.set('idle-items-deadline', IDLE_ITEMS_DEADLINE_MS, () => {
      this.#patience = 'over';
      requestReconcile();
    });
  }

  /** Gives a Java leader time to ask for an assignment by itself. */
  waitForJavaLeader(basis: string): void {
    const { timers, requestReconcile } = this.#ports;
    this.#overdueAssignment = { basis, state: 'waiting' };
    timers.set('java-leader-deadline', JAVA_LEADER_DEADLINE_MS, () => {
      this.#overdueAssignment = { basis, state: 'due' };
      requestReconcile();
    });
  }

  /** Asks for an assignment in the leader's stead. */
  async requestInLeadersPlace(basis: string): Promise<void> {
    await this.#ports.sharding.request('its leader has not noticed that instances or servers have changed');
    this.#overdueAssignment = { basis, state: 'asked' };
  }

  /** Assigns the items; see `Sharding.assign`. */
  async reshard(): Promise<void> {
    this.#assignedFor = await this.#ports.sharding.assign();
    this.#patience = 'not asked for';
    this.#ports.timers.cancel('idle-items-deadline');
  }
}
