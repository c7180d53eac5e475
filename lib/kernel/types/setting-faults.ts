/**
 * The faults of the settings in force: names of extensions that this process does not have, and values that it cannot
 * use. An operator, or another version of the application, has stored them, so they are no reason to end the job. If
 * the job can do without the faulty setting, it goes on; otherwise it begins nothing; a change of the settings ends
 * both.
 */
import { InvalidConfigurationError } from '../../api/errors/errors.js';
import { type JobConfiguration } from '../../api/job/job-configuration.js';
import { Limiter } from '../../async/limiter.js';
import { type JobDefinition } from '../job/job-definition.js';
import { type Extensions, type SettingsFault, type SettingsPart } from './extensions.js';
import { type StoredFault } from '../view/obstacles.js';

/** The settings in force keep the job from running, which is logged once for all firings. */
export class BlockedFiringError extends InvalidConfigurationError {}

/** Dependencies of `SettingFaults`. */
export interface SettingFaultsDeps {
  readonly extensions: Extensions;
  readonly definition: JobDefinition;
  readonly requestReconcile: () => void;
}

/** Faults of the settings of one job, and the pool of its items, which outlives a provider that cannot be used. */
export class SettingFaults {
  readonly #deps: SettingFaultsDeps;
  #checked: JobConfiguration | undefined;
  #found: readonly StoredFault[] = NONE;
  /** The last usable size that the provider returned. */
  #size: number | undefined;
  #limiter: Limiter | undefined;
  #isPoolFaulty = false;

  constructor(deps: SettingFaultsDeps) {
    this.#deps = deps;
  }

  /** The faults of these settings; those of the pool as of the last call of its provider. */
  of(configuration: JobConfiguration): readonly StoredFault[] {
    if (this.#checked !== configuration) this.#check(configuration);
    return this.#found;
  }

  /**
   * The pool of the job on this instance, with the size that its provider returns now: one for all runs, so that its
   * limit holds for items of different firings together.
   * @throws BlockedFiringError if the settings keep the job from running
   */
  pool(configuration: JobConfiguration): Limiter {
    this.of(configuration);
    const hadPool = !this.#isPoolFaulty;
    // A provider may begin, and cease, to return nonsense while the settings stay as they are.
    if (this.#askForSize(configuration) !== hadPool) {
      this.#check(configuration);
      this.#deps.requestReconcile();
    }
    const blocking = this.#found.filter(({ effect }) => effect === 'blocked');
    if (blocking.length > 0 || this.#size === undefined)
      throw new BlockedFiringError(blocking.map(({ problem }) => problem));
    this.#limiter ??= new Limiter(this.#size);
    if (this.#limiter.limit !== this.#size) this.#limiter.resize(this.#size);
    return this.#limiter;
  }

  /** @returns true if the provider has returned a usable size */
  #askForSize(configuration: JobConfiguration): boolean {
    try {
      this.#size = this.#deps.extensions.threadPoolSize(configuration);
      return true;
    } catch (error) {
      if (error instanceof InvalidConfigurationError) return false;
      throw error;
    }
  }

  #check(configuration: JobConfiguration): void {
    const { extensions, definition } = this.#deps;
    const faults = extensions.faultsIn(configuration, definition.job);
    this.#isPoolFaulty = faults.some(({ part }) => part === 'pool');
    if (!this.#isPoolFaulty) this.#askForSize(configuration);
    this.#checked = configuration;
    this.#found = faults.length === 0 ? NONE : faults.map((fault) => this.#stored(fault));
  }

  #stored({ part, problem }: SettingsFault): StoredFault {
    const hasPool = part === 'pool' && this.#size !== undefined;
    const consequence = hasPool ? `the former size of the pool, ${this.#size}, stays in force` : CONSEQUENCES[part];
    return { effect: consequence === undefined ? 'blocked' : 'impaired', problem, consequence };
  }
}

const NONE: readonly StoredFault[] = [];

/** The behaviour without the setting; `undefined`: the job cannot run. */
const CONSEQUENCES: Readonly<Record<SettingsPart, string | undefined>> = {
  executor: undefined,
  pool: undefined,
  items: undefined,
  strategy: 'items are assigned by AVG_ALLOCATION instead',
  'error-handler': 'failures are logged here, and may be reported nowhere else',
  listeners: 'the job runs without that listener',
};
