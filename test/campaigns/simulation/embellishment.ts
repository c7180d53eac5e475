import { type Random } from '../../support/random.js';
import { type Feature } from './features.js';
import {
  type Behaviour,
  type Event,
  type History,
  type Job,
  MOST_ITEMS,
  type OnceListenerTraits,
  SESSION_TIMEOUT_MS,
} from './history.js';
import { OWN_STRATEGIES } from './strategies.js';

/** A listener's timeouts, as its constructor takes them. */
const TIMEOUTS: readonly (readonly [startedMs: number, completedMs: number])[] = [
  ...[[60_000, 0] as const, [60_000, 10_000] as const, [0, 0] as const, [3_000, 3_000] as const],
];
/** Events that move items, or end them. */
const MOVES = [
  ...(['join', 'join', 'leave', 'kill', 'expire', 'disable', 'enable', 'disable-item', 'reconfigure'] as const),
];
/** Instances that sweep look at the sessions of others every second or two. */
const MOST_LATE_SWEEP_MS = 3_000;
const MOST_SKEW_OF_LISTENERS_MS = 200;
const LARGE_JOB_ITEMS = { from: 1_000, to: 1_300 };
const LARGE_JOB_OPERATIONS_A_COMMIT = 400;

/** Adds features to a plain history. */
export class Embellishment {
  readonly #history: History;
  readonly #random: Random;
  readonly #periodMs: number;
  /** An instant of the schedule at which instances are likely to be there. */
  readonly #instantMs: number;

  constructor(history: History, random: Random) {
    this.#history = history;
    this.#random = random;
    this.#periodMs = history.job.periodSeconds * 1_000;
    const lastMs = history.steps.at(-1)?.atMs ?? 0;
    const firings = Math.max(1, Math.floor(lastMs / this.#periodMs));
    this.#instantMs = random.integer(2, 1 + firings) * this.#periodMs;
  }

  /** The history with one more feature. */
  add(feature: Feature): History {
    switch (feature) {
      case 'monitoring switched':
        return this.#withMonitoringSwitched();
      case 'registry wiped':
        return this.#withSteps([{ atMs: this.#near(6_000), type: 'wipe', ms: this.#random.integer(0, 6_000) }]);
      case 'large job':
        return this.#asLargeJob();
      case 'own strategy':
        return this.#withOwnStrategy();
      case 'stop while choosing':
        return this.#withStopWhileChoosing();
      case 'once-listener':
        return this.#withOnceListener();
      case 'pool of one':
        return { ...this.#withBehaviours('slow', 3), poolSize: 1 };
      case 'trigger and lost session':
        return this.#withTriggerAndLostSession();
      case 'run outlives its session':
        return this.#withRunThatOutlivesItsSession();
      case 'items dropped and back':
        return this.#withItemsDroppedAndBack();
      case 'stop beside a slow item':
        return this.#withStopBesideASlowItem();
      case 'poisonous errors':
        return this.#withBehaviours('poisonous', 4);
      case 'failing logger':
        return this.#withFailingLogger();
      case 'run limits':
        return this.#withRunLimits();
      case 'sticky strategy':
        return this.#withJob({ jobShardingStrategyType: 'STICKY' });
      case 'items triggered':
        return this.#withItemsTriggered();
      case 'late sweep':
        return this.#withLateSweep();
      case 'changes heard late':
        return this.#withChangesHeardLate();
      case 'mirrors read again':
        return this.#withMirrorsReadAgain();
      case 'leases prolonged':
        return this.#withLeasesProlonged();
      default:
        return feature satisfies never;
    }
  }

  /** Single items are triggered while some of them run, and once or twice the whole job meanwhile. */
  #withItemsTriggered(): History {
    const { job } = this.#history;
    const atMs = (): number => this.#instantMs + this.#random.integer(-200, 2 * this.#periodMs);
    const items = Array.from({ length: this.#random.integer(2, 6) }, (): Timed => {
      const item = this.#random.integer(0, job.shardingTotalCount - 1);
      return { atMs: atMs(), type: 'trigger', item };
    });
    const all = Array.from({ length: this.#random.integer(0, 2) }, (): Timed => ({ atMs: atMs(), type: 'trigger' }));
    return this.#withSteps([...items, ...all, ...this.#moves()], this.#withBehaviours('slow', 2));
  }

  /** Items move, are disabled, or are no items any more, while their triggers wait. */
  #moves(): readonly Timed[] {
    const { shardingTotalCount } = this.#history.job;
    return Array.from({ length: this.#random.integer(0, 3) }, (_, index): Timed => {
      const atMs = this.#instantMs + this.#random.integer(0, 2 * this.#periodMs);
      const type = this.#random.pick(MOVES);
      switch (type) {
        case 'disable-item':
          return { atMs, type, item: this.#random.integer(0, shardingTotalCount - 1) };
        case 'reconfigure':
          return { atMs, type, change: { shardingTotalCount: this.#random.integer(1, shardingTotalCount + 1) } };
        case 'join':
          return { atMs, type, name: 'QRS'.charAt(index), skewMs: 0 };
        default:
          return { atMs, type, name: this.#present() };
      }
    });
  }

  /** Sessions end late, that of an instance that dies or is away for long among them. */
  #withLateSweep(): History {
    const sweepLateMs = this.#random.integer(500, MOST_LATE_SWEEP_MS);
    return { ...this.#withSteps([this.#absence(this.#near(1_000))]), sweepLateMs };
  }

  /** An instance dies or is away for long, and the registry counts its session from the beginning once more. */
  #withLeasesProlonged(): History {
    const atMs = this.#near(1_000);
    const prolonged = Array.from({ length: this.#random.integer(1, 2) }, (): Timed => ({
      atMs: atMs + this.#random.integer(0, SESSION_TIMEOUT_MS),
      type: 'prolong-sessions',
    }));
    return this.#withSteps([this.#absence(atMs), ...prolonged]);
  }

  #absence(atMs: number): Timed {
    const name = this.#present();
    const ms = this.#random.integer(SESSION_TIMEOUT_MS - 500, 2 * SESSION_TIMEOUT_MS);
    const type = this.#random.pick(['kill', 'suspend', 'freeze'] as const);
    return type === 'kill' ? { atMs, type, name } : { atMs, type, name, ms };
  }

  /** Some instances hear of changes late, while items move. */
  #withChangesHeardLate(): History {
    const late = Array.from({ length: this.#random.integer(1, 3) }, (): Timed => {
      const ms = this.#random.integer(1_000, 2 * this.#periodMs);
      const everyMs = this.#random.pick([300, 1_000, 2_000]);
      return { atMs: this.#near(2_000), type: 'hear-late', name: this.#present(), ms, everyMs };
    });
    return this.#withSteps([...late, ...this.#moves()]);
  }

  /** Mirrors read everything again, in the middle of firings: after a compaction, or connections that broke. */
  #withMirrorsReadAgain(): History {
    const breaks = Array.from({ length: this.#random.integer(2, 6) }, (): Timed => {
      const atMs = this.#instantMs + this.#random.integer(-300, 900);
      return { atMs, type: 'suspend', name: this.#present(), ms: this.#random.integer(1, 40) };
    });
    return this.#withSteps([...breaks, ...this.#moves()]);
  }

  #withMonitoringSwitched(): History {
    const firstMs = this.#near(4_000);
    const times = [firstMs, firstMs + this.#random.integer(0, 3 * this.#periodMs)];
    const isFirst = this.#history.job.monitorExecution;
    return this.#withSteps(
      times.map((atMs, index) => ({
        ...{ atMs, type: 'reconfigure' },
        change: { monitorExecution: index === 0 ? !isFirst : isFirst },
      })),
    );
  }

  /** A time limit, retries or both, and items that meet them: some that hang, and some that fail. */
  #withRunLimits(): History {
    const { job, behaviours } = this.#history;
    const timeoutMs = this.#random.pick([300, 1_000, 2_500, this.#periodMs, 2 * this.#periodMs]);
    const retries = {
      'run.maxRetries': String(this.#random.integer(1, 3)),
      'run.retryBackoffMilliseconds': String(this.#random.pick([100, 700])),
    };
    const limits = { 'run.timeoutMilliseconds': String(timeoutMs) };
    const props = this.#random.pick([limits, retries, { ...limits, ...retries }]);
    const kinds: readonly Behaviour[] = ['slow', 'failing', 'stubborn', 'quick'];
    const changed = behaviours.map((behaviour, item) => (item < 4 ? this.#random.pick(kinds) : behaviour));
    return { ...this.#history, job: { ...job, props }, behaviours: changed };
  }

  #asLargeJob(): History {
    const { steps } = this.#history;
    const joins = steps.filter(({ type }) => type === 'join').slice(0, 3);
    const others = steps.filter(({ type }) => type !== 'join' && type !== 'reconfigure').slice(0, 3);
    return {
      ...this.#withJob({
        ...{ periodSeconds: 10, monitorExecution: true },
        shardingTotalCount: this.#random.integer(LARGE_JOB_ITEMS.from, LARGE_JOB_ITEMS.to),
      }),
      ...{ behaviours: [], poolSize: 2_000, operationsACommit: LARGE_JOB_OPERATIONS_A_COMMIT },
      steps: [...joins, ...others].sort((one, other) => one.atMs - other.atMs),
    };
  }

  #withOwnStrategy(): History {
    const jobShardingStrategyType = this.#random.pick(OWN_STRATEGIES);
    const history = this.#withJob({ jobShardingStrategyType });
    const failures: Timed[] =
      jobShardingStrategyType === 'UNRELIABLE'
        ? [{ atMs: this.#near(3_000), type: 'fail-strategy', ms: this.#random.integer(500, 15_000) }]
        : [];
    const triggers: Timed[] = this.#random.integer(1, 3) === 1 ? [] : [{ atMs: this.#quietMoment(), type: 'trigger' }];
    return this.#withSteps([...failures, ...triggers], history);
  }

  /** An instance joins while items run, so that the next firing waits for the assignment; then another one leaves. */
  #withStopWhileChoosing(): History {
    const name = this.#present();
    const joinMs = this.#instantMs - this.#random.integer(10, 900);
    const leaveMs = this.#instantMs + this.#random.integer(0, 1_000);
    const others = this.#othersThan(name);
    // A leader that cannot be reached takes longer to assign.
    const cuts = others.slice(0, this.#random.integer(0, 1)).map((other): Timed => ({
      ...{ atMs: joinMs - this.#random.integer(0, 500), type: 'cut', name: other },
      ...{ ms: this.#random.integer(1_000, 6_000), direction: 'both' },
    }));
    return this.#withSteps(
      [...cuts, { atMs: joinMs, type: 'join', name: 'P', skewMs: 0 }, { atMs: leaveMs, type: 'leave', name }],
      this.#withBehaviours(this.#random.pick(['slow', 'stubborn']), 2),
    );
  }

  #withOnceListener(): History {
    const [startedTimeoutMs, completedTimeoutMs] = this.#random.pick(TIMEOUTS);
    const onceListener: OnceListenerTraits = {
      ...{ startedTimeoutMs, completedTimeoutMs },
      slowestCallMs: this.#random.pick([0, 50, 50, 2_000]),
    };
    const kind = this.#random.integer(1, 4);
    // Items of all instances wait for each other, so that each firing takes as long as clocks differ.
    const steps = this.#history.steps.map((step) =>
      'skewMs' in step ? { ...step, skewMs: step.skewMs % MOST_SKEW_OF_LISTENERS_MS } : step,
    );
    const history = { ...this.#history, onceListener, steps };
    if (kind === 1) return this.#withDeathsInTwoFirings(history);
    if (kind === 2) return this.#withRestartBesideASlowItem(history);
    return history;
  }

  /** Two instances die within two firings, so that one instance may take over items of both. */
  #withDeathsInTwoFirings(history: History): History {
    const [first, second] = [this.#present(), this.#present()];
    const deathMs = this.#instantMs + this.#random.integer(50, this.#periodMs);
    return this.#withSteps(
      [
        { atMs: deathMs, type: 'kill', name: first },
        { atMs: deathMs + this.#random.integer(0, 500), type: 'kill', name: second },
        { atMs: deathMs + this.#random.integer(0, 6_000), type: 'join', name: 'P', skewMs: 0 },
      ],
      this.#withBehaviours('stubborn', 2, this.#withJob({ failover: true, monitorExecution: true }, history)),
    );
  }

  #withRestartBesideASlowItem(history: History): History {
    const leaveMs = this.#instantMs + this.#random.integer(0, 2_000);
    return this.#withSteps(
      [
        { atMs: leaveMs, type: 'leave', name: this.#present() },
        { atMs: leaveMs + this.#random.integer(0, 500), type: 'join', name: 'P', skewMs: 0 },
      ],
      this.#withBehaviours('slow', 3, history),
    );
  }

  /**
   * A trigger is accepted while items run; then the session is lost. In half of the cases one instance is all there is.
   */
  #withTriggerAndLostSession(): History {
    const name = this.#present();
    const triggerMs = this.#instantMs + this.#random.integer(50, this.#periodMs);
    const lossMs = triggerMs + this.#random.integer(20, 2_000);
    const loss: Timed = this.#random.pick([
      { atMs: lossMs, type: 'expire', name },
      { atMs: lossMs, type: 'suspend', name, ms: this.#random.integer(4_500, 9_000) },
      { atMs: lossMs, type: 'cut', name, ms: this.#random.integer(4_500, 9_000), direction: 'both' },
    ]);
    const isAlone = this.#random.integer(1, 2) === 1;
    const history = this.#withBehaviours('slow', 2, this.#withJob({ monitorExecution: true }));
    const steps = isAlone
      ? history.steps.filter((step) => step.type === 'join' && step.name === name)
      : history.steps.filter((step) => !('name' in step) || step.name !== name || step.atMs < triggerMs);
    const again = this.#random.integer(0, 500);
    return this.#withSteps([{ atMs: triggerMs, type: 'trigger' }, { atMs: triggerMs + again, type: 'trigger' }, loss], {
      ...history,
      steps,
    });
  }

  /** Items end well while the registry cannot be reached, for longer than the session lasts. */
  #withRunThatOutlivesItsSession(): History {
    const names = this.#names();
    const isOutage = this.#random.integer(1, 2) === 1;
    const fromMs = this.#instantMs + this.#random.integer(100, this.#periodMs);
    const endMs = fromMs + this.#random.integer(4_200, 8_000);
    const away = (isOutage ? names : [this.#present()]).map((name): Timed => {
      const atMs = fromMs + this.#random.integer(0, 200);
      return { atMs, type: 'suspend', name, ms: endMs + this.#random.integer(0, 1_000) - atMs };
    });
    return this.#withSteps(
      away,
      this.#withBehaviours('slow', 2, this.#withJob({ failover: true, monitorExecution: true })),
    );
  }

  #withItemsDroppedAndBack(): History {
    const { shardingTotalCount } = this.#history.job;
    const total = Math.max(2, shardingTotalCount);
    const fewer = this.#random.integer(1, total - 1);
    const dropMs = this.#instantMs - this.#random.integer(-300, 2_500);
    const backMs = dropMs + this.#random.integer(100, 1.5 * this.#periodMs);
    return this.#withSteps(
      [
        { atMs: dropMs, type: 'reconfigure', change: { shardingTotalCount: fewer } },
        { atMs: backMs, type: 'reconfigure', change: { shardingTotalCount: total } },
      ],
      this.#withJob({ shardingTotalCount: total }),
    );
  }

  /** An instance leaves while one of its items goes on for long, and another one may join meanwhile. */
  #withStopBesideASlowItem(): History {
    const leaveMs = this.#instantMs + this.#random.integer(50, this.#periodMs / 2);
    const joins: Timed[] =
      this.#random.integer(1, 2) === 1
        ? [{ atMs: leaveMs + this.#random.integer(0, 4_000), type: 'join', name: 'P', skewMs: 0 }]
        : [];
    return this.#withSteps(
      [{ atMs: leaveMs, type: 'leave', name: this.#present() }, ...joins],
      this.#withBehaviours('stubborn', 3, this.#withJob({ monitorExecution: true })),
    );
  }

  #withFailingLogger(): History {
    const atMs = this.#instantMs - this.#random.integer(0, 1_000);
    const ms = this.#random.integer(500, 2 * this.#periodMs);
    return this.#withSteps(
      [{ atMs, type: 'fail-logger', name: this.#present(), ms }],
      this.#withBehaviours('failing', 2),
    );
  }

  #withSteps(more: readonly Timed[], history = this.#history): History {
    const added = more.map((step) => ({ ...step, atMs: Math.max(0, Math.round(step.atMs)) }));
    // Stable: of two at the same moment, the plain history's comes first.
    return { ...history, steps: [...history.steps, ...added].sort((one, other) => one.atMs - other.atMs) };
  }

  #withJob(changes: Partial<Job>, history = this.#history): History {
    return { ...history, job: { ...history.job, ...changes } };
  }

  /** Makes one of so many items, at random, behave like this; the first ones of a job are there in any case. */
  #withBehaviours(behaviour: Behaviour, oneOf: number, history = this.#history): History {
    const chosen = this.#random.integer(0, oneOf - 1);
    return {
      ...history,
      behaviours: Array.from({ length: MOST_ITEMS }, (_, item) =>
        item % oneOf === chosen % oneOf ? behaviour : (history.behaviours[item] ?? 'quick'),
      ),
    };
  }

  /** Names of instances that join in the plain history. */
  #names(): readonly string[] {
    return this.#history.steps.flatMap((step) => (step.type === 'join' ? [step.name] : []));
  }

  /** The name of an instance that is likely to be there around the chosen instant. */
  #present(): string {
    const gone = new Set(
      this.#history.steps.flatMap((step) =>
        ['leave', 'kill', 'kill-at-write', 'terminate'].includes(step.type) &&
        'name' in step &&
        step.atMs < this.#instantMs
          ? [step.name]
          : [],
      ),
    );
    const joined = this.#history.steps.flatMap((step) =>
      step.type === 'join' && step.atMs < this.#instantMs - 500 ? [step.name] : [],
    );
    const present = joined.filter((name) => !gone.has(name));
    return this.#random.pick(present.length > 0 ? present : this.#names());
  }

  #othersThan(name: string): readonly string[] {
    return this.#names().filter((other) => other !== name);
  }

  #near(spreadMs: number): number {
    return this.#instantMs + this.#random.integer(-spreadMs, spreadMs);
  }

  /** After all steps, in the middle between two firings. */
  #quietMoment(): number {
    const lastMs = Math.max(...this.#history.steps.map((step) => step.atMs + ('ms' in step ? step.ms : 0)));
    return (Math.ceil((lastMs + 15_000) / this.#periodMs) + 0.4) * this.#periodMs;
  }
}

type Timed = Event & { readonly atMs: number };
