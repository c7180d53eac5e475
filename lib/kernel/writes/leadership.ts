/**
 * Leading: one of the available instances owns `leader/election/instance`, a session node, and assigns the items. All
 * instances elect it through a latch that Java peers use too; leading ends with the leader's session by itself.
 *
 * A leader remembers only facts that no node shows: the basis of its last assignment, and how long it has been waiting
 * for running items. A leader that loses its leadership forgets them, because its successors may have assigned the
 * items since.
 */
import { describeCause } from '../../api/text/describe-cause.js';
import { isOutcomeUnknown } from '../../api/errors/registry-errors.js';
import { type Deadlines } from '../../async/deadlines.js';
import { ShardingStrategyError } from '../types/strategies/owners.js';
import { type AssignedFor, assignmentBasis, type OverdueAssignment } from '../view/assignment.js';
import { type JobContext, type JobTimer } from '../job/job-context.js';
import { describeItems } from '../view/items.js';
import { type Assignment, IDLE_ITEMS_DEADLINE_MS } from './assignment.js';
import { StrategyFailures } from './strategy-failures.js';

/** Dependencies of `Leadership`. */
export interface LeadershipDeps extends JobContext {
  readonly assignment: Assignment;
  /** Returns true if this instance still wants to lead; called when its turn in the election has come. */
  isStanding(): boolean;
  /** Deadlines of this job. */
  readonly deadlines: Deadlines<JobTimer>;
}

/** Longest wait for the election latch. A participant that died holds it until its session ends. */
const LATCH_TIMEOUT_MS = 60_000;

/** How long a Java leader may take to request an assignment that is due. If it requests one, it does so at once. */
const JAVA_LEADER_DEADLINE_MS = 5_000;

/**
 * The election, and the assignments that an instance remembers: its own as the leader, and those that a Java leader is
 * due to request.
 */
export class Leadership {
  readonly #deps: LeadershipDeps;
  readonly #strategyFailures: StrategyFailures;
  /** Revision of the request for which the leader waits for idle items. */
  #waitsFor: number | undefined;
  #assignedFor: AssignedFor | undefined;
  #overdueAssignment: OverdueAssignment | undefined;
  #isCampaigning = false;

  constructor(deps: LeadershipDeps) {
    this.#deps = deps;
    this.#strategyFailures = new StrategyFailures(deps);
  }

  /**
   * The assignment that this instance has made last; `undefined` if it has made none since it leads, or did not get the
   * answer.
   */
  get assignedFor(): AssignedFor | undefined {
    return this.#assignedFor;
  }

  /** True if running items have had their time for the present request. */
  get idleItemsDeadlinePassed(): boolean {
    return this.#deps.deadlines.state('idle-items-deadline') === 'over' && this.#waitsFor === this.#request;
  }

  /** `assignmentBasis` for which the strategy has failed and is not asked again yet. */
  get strategyWaitsFor(): string | undefined {
    return this.#strategyFailures.waitsFor;
  }

  /** Reason for which the strategy does not assign the items; `undefined` while it does. */
  get strategyFailure(): string | undefined {
    return this.#strategyFailures.reason;
  }

  /** The assignment that a Java leader should have requested. */
  get overdueAssignment(): OverdueAssignment | undefined {
    return this.#overdueAssignment;
  }

  /**
   * Forgets the last assignment: after an interruption of its leadership, this instance cannot know what its successors
   * have assigned.
   */
  forget(): void {
    this.#assignedFor = undefined;
    this.#deps.deadlines.reset('idle-items-deadline');
  }

  /** Stands for election beside the control lane, because an instance that has just died may hold the latch. */
  campaignSoon(): void {
    const { logger, timers, requestReconcile } = this.#deps;
    if (this.#isCampaigning || timers.isSet('election')) return;
    this.#isCampaigning = true;
    this.forget();
    this.#campaign()
      .then((won) => {
        timers.succeeded('election');
        if (won) logger.event({ type: 'leads' });
      })
      .catch((error: unknown) => {
        // The job has stopped, or its session has ended: nothing waits for this election any more.
        if (!this.#deps.isStanding()) return logger.debug(`stands for election no more: ${describeCause(error)}`);
        const cause = error instanceof Error && error.cause instanceof Error ? ` (${error.cause.message})` : '';
        logger.warn(`could not stand for election, and tries again: ${describeCause(error)}${cause}`);
        // Until that timer fires, this instance does not stand again. Otherwise it would send requests without end to a
        // registry centre that refuses the election.
        timers.setRetry('election', requestReconcile);
      })
      .finally(() => {
        this.#isCampaigning = false;
        requestReconcile();
      });
  }

  /** Makes this instance the leader unless there is one. @returns true if this call made it the leader */
  #campaign(): Promise<boolean> {
    const { registry, paths, me } = this.#deps;
    return registry.exclusively(paths.electionLatch, LATCH_TIMEOUT_MS, async () => {
      if (!this.#deps.isStanding()) return false;
      const won = await registry.create(paths.leader, me, 'session');
      if (!won || this.#deps.isStanding()) return won;
      // Withdrawn meanwhile: a leader that does not take part would block the job for as long as this process lives.
      await registry.remove(paths.leader);
      return false;
    });
  }

  /** Gives running items time to finish, once for each request. */
  awaitIdleItems(items: readonly number[]): void {
    if (this.#waitsFor !== this.#request) this.#deps.deadlines.reset('idle-items-deadline');
    if (!this.#deps.deadlines.begin('idle-items-deadline', IDLE_ITEMS_DEADLINE_MS)) return;
    this.#waitsFor = this.#request;
    this.#deps.logger.debug(`waits for the running items ${describeItems(items)} before it assigns the items.`);
  }

  /** Revision of the request for an assignment that stands now; each request has another one. */
  get #request(): number | undefined {
    const { watch, paths } = this.#deps;
    return watch.nodes.get(paths.resharding)?.revision;
  }

  /** Gives a Java leader time to request an assignment by itself. */
  waitForJavaLeader(basis: string): void {
    const { timers, requestReconcile } = this.#deps;
    this.#overdueAssignment = { basis, state: 'waiting' };
    timers.set('java-leader-deadline', JAVA_LEADER_DEADLINE_MS, () => {
      this.#overdueAssignment = { basis, state: 'due' };
      requestReconcile();
    });
  }

  /** Requests an assignment in the place of a Java leader. */
  async requestInLeadersPlace(basis: string): Promise<void> {
    await this.#deps.assignment.request('its leader has not noticed that instances or servers have changed');
    this.#overdueAssignment = { basis, state: 'asked' };
  }

  /** Assigns the items; see `Assignment.assign`. */
  async assign(): Promise<void> {
    const basis = assignmentBasis(this.#deps.watch.view);
    try {
      this.#assignedFor = await this.#deps.assignment.assign();
    } catch (error) {
      // The commit may have been made, for instances that have changed by now: only a new assignment is reliable.
      if (isOutcomeUnknown(error)) this.#assignedFor = undefined;
      if (!(error instanceof ShardingStrategyError)) throw error;
      return this.#strategyFailures.note(error, basis);
    }
    this.#strategyFailures.end();
    this.#deps.deadlines.reset('idle-items-deadline');
  }
}
