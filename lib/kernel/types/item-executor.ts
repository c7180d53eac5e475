import { propertyProblemsOf, textsOf } from '../../api/extensions/answers.js';
import {
  type ClassedJobItemExecutor,
  type PropertyProblem,
  type RunningJob,
  type TypedJobItemExecutor,
} from '../../api/extensions/job-executor.js';
import { type JobConfiguration } from '../../api/job/job-configuration.js';
import { type ShardingContext } from '../../api/job/sharding-context.js';

/** Does the work of one sharding item of one job. An error that it throws is the item's failure. */
export interface ItemExecutor {
  process(configuration: JobConfiguration, context: ShardingContext, job: RunningJob): void | Promise<void>;
  /** @returns the problems with the properties that it needs */
  validate(configuration: JobConfiguration): readonly PropertyProblem[];
  /** @returns doubts: values that are allowed, but probably not intended */
  doubts(configuration: JobConfiguration): readonly string[];
  /** Loads the resources of the job. */
  prepare(configuration: JobConfiguration): void | Promise<void>;
  /** Frees the resources of a job that has ended on this instance. */
  release(jobName: string): void | Promise<void>;
}

/** Executes jobs that have a type. */
export class TypedExecutor implements ItemExecutor {
  readonly #typed: TypedJobItemExecutor;

  constructor(typed: TypedJobItemExecutor) {
    this.#typed = typed;
  }

  process(configuration: JobConfiguration, context: ShardingContext, running: RunningJob): void | Promise<void> {
    return this.#typed.process(configuration, context, running);
  }

  validate(configuration: JobConfiguration): readonly PropertyProblem[] {
    const answer = this.#typed.validate?.(configuration);
    return propertyProblemsOf(`validate() of the executor ${this.#typed.type}`, answer);
  }

  doubts(configuration: JobConfiguration): readonly string[] {
    return textsOf(`doubts() of the executor ${this.#typed.type}`, this.#typed.doubts?.(configuration));
  }

  prepare(configuration: JobConfiguration): void | Promise<void> {
    return this.#typed.prepare?.(configuration);
  }

  release(jobName: string): void | Promise<void> {
    return this.#typed.release?.(jobName);
  }
}

/** Executes the job of an object. */
export class ClassedExecutor implements ItemExecutor {
  readonly #classed: ClassedJobItemExecutor;
  readonly #job: object;

  constructor(classed: ClassedJobItemExecutor, job: object) {
    this.#classed = classed;
    this.#job = job;
  }

  process(configuration: JobConfiguration, context: ShardingContext, running: RunningJob): void | Promise<void> {
    return this.#classed.process(this.#job, configuration, context, running);
  }

  validate(configuration: JobConfiguration): readonly PropertyProblem[] {
    const answer = this.#classed.validate?.(configuration, this.#job);
    return propertyProblemsOf(`validate() of the executor for ${this.#classed.requirement}`, answer);
  }

  doubts(configuration: JobConfiguration): readonly string[] {
    const answer = this.#classed.doubts?.(configuration, this.#job);
    return textsOf(`doubts() of the executor for ${this.#classed.requirement}`, answer);
  }

  prepare(configuration: JobConfiguration): void | Promise<void> {
    return this.#classed.prepare?.(configuration, this.#job);
  }

  release(jobName: string): void | Promise<void> {
    return this.#classed.release?.(jobName);
  }
}
