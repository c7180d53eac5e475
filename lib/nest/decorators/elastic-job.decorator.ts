import 'reflect-metadata';
import { Inject } from '@nestjs/common';
import { describeValue, isMap } from '../../api/text/describe-value.js';
import { InvalidConfigurationError } from '../../api/errors/errors.js';
import { type DataflowJob, type SimpleJob } from '../../api/job/job.js';
import { type JobOptions } from '../../api/job/job-options.js';
import { noteDecorated } from './decorated-classes.js';
import { declareToken } from '../injection-tokens.js';
import { type JobSettings } from '../../settings/job-settings.js';

/** The options of `@ElasticJob`: the job's settings, and how its bootstrap is injected and started. */
export interface ElasticJobOptions
  extends
    JobOptions,
    Pick<
      JobSettings,
      | 'jobBootstrapBeanName'
      | 'jobClassName'
      | 'autoStart'
      | 'jobExecutorServiceHandlerType'
      | 'worker'
      | 'registryCenter'
      | 'tracingDataSource'
    > {}

/** The options of a job whose items run in worker threads. */
type WorkerOptions = ElasticJobOptions & Required<Pick<ElasticJobOptions, 'worker'>>;

/**
 * The error that compilers report for `@ElasticJob` on a method or a property, whose name is not assignable to this
 * text.
 */
type NotAClass =
  '@ElasticJob decorates a class whose method execute(context) does the work, not a method: see docs/recipes.md';

/** A decorator of classes whose instances have a role. */
export type JobDecorator<Job extends object> = (target: abstract new (...dependencies: never[]) => Job) => void;

/**
 * A decorator of classes whose instances are jobs. Its second signature fits nothing: it gives compilers a clear error
 * to report.
 */
export interface ElasticJobDecorator<Job extends object> {
  (target: abstract new (...dependencies: never[]) => Job): void;
  (target: object, key: NotAClass, descriptor?: unknown): void;
}

/** One `@ElasticJob` decorator of a class, unchecked. */
export interface ElasticJobMetadata {
  readonly jobName: string;
  readonly options: ElasticJobOptions;
}

const METADATA = Symbol.for('nestjs-elasticjob:jobs');
const INJECTED = Symbol.for('nestjs-elasticjob:one-off-jobs');

/**
 * Makes a provider a job: `@ElasticJob('syncOrders', { cron: '0/5 * * * * ?', shardingTotalCount: 3 })`.
 * The class has the method `execute(context)`, or `fetchData(context)` and `processData(context, data)`, and is a
 * provider of any module; it needs no `@Injectable()`. With `worker: new URL('./crunch.js', import.meta.url)`, the
 * default export of that module does the work in worker threads, and the class has none of these methods. A class of
 * another kind, which a `ClassedJobItemExecutor` accepts, is named as the type argument:
 * `@ElasticJob<Report>('report')`. Several such decorators on one class make several jobs, which share its instance.
 * @param jobName the job's name in the registry centre; instances with the same name share the job
 * @param options defaults; `elasticjob.jobs.<jobName>` of the module's options, a file or the environment override
 *   them. They are checked when the application starts.
 * @throws InvalidConfigurationError if it decorates anything but a class
 */
export function ElasticJob(jobName: string, options: WorkerOptions): ElasticJobDecorator<object>;
export function ElasticJob(jobName: string, options?: ElasticJobOptions): ElasticJobDecorator<SimpleJob | DataflowJob>;
export function ElasticJob<Job extends object>(jobName: string, options?: ElasticJobOptions): ElasticJobDecorator<Job>;
export function ElasticJob(jobName: string, options: ElasticJobOptions = {}): ElasticJobDecorator<object> {
  return (target: object, ...more: readonly unknown[]) => {
    // Compilers that only strip types do not check this.
    refuseMember(jobName, target, more);
    const names: readonly unknown[] = [jobName, (options as ElasticJobOptions | undefined)?.jobBootstrapBeanName];
    for (const name of names) if (typeof name === 'string' && name !== '') declareToken(target, name);
    noteDecorated(target);
    // Own metadata only: a decorated subclass is a job of its own and does not inherit its parent's.
    const others = (Reflect.getOwnMetadata(METADATA, target) as readonly ElasticJobMetadata[] | undefined) ?? [];
    Reflect.defineMetadata(METADATA, [{ jobName, options }, ...others], target);
  };
}

/**
 * @param more the arguments of a decorator besides its target: nothing for a class; the name of a method or a property,
 *   which may be a static one, so that the target is a class, too; with the decorators of ECMAScript a context, which
 *   names the kind
 * @throws InvalidConfigurationError if the target is not a class
 */
function refuseMember(jobName: string, target: unknown, more: readonly unknown[]): void {
  const [key] = more;
  const { kind, name = key } = isMap(key) ? (key as { readonly kind?: unknown; readonly name?: unknown }) : {};
  if (typeof target === 'function' && (more.length === 0 || kind === 'class')) return;
  const decorator = `@ElasticJob(${describeValue(jobName)})`;
  const member = name === undefined ? 'a parameter' : describeValue(name);
  throw new InvalidConfigurationError([
    `${decorator} can only decorate a class, got ${member}: write a class whose method execute(context) does the work, ` +
      `${decorator} class SyncOrdersJob { execute(context) { … } }, and add it to the providers of a module`,
  ]);
}

/**
 * Injects the bootstrap of a one-off job:
 * `constructor(@InjectOneOffJob('myOneOffJobBean') private readonly job: OneOffJobBootstrap) {}`.
 * `@Inject('myOneOffJobBean')` does the same for jobs that are decorated or named in `forRoot()`'s options.
 * The boot fails unless the application defines a one-off job of that name. Find jobs that are added at run time in
 * `JobBootstraps`.
 * @param token the job's `jobBootstrapBeanName`, or its name
 * @throws InvalidConfigurationError if `token` is not a text. A constant is undefined while files import each other in
 *   a circle.
 */
export function InjectOneOffJob(token: string): PropertyDecorator & ParameterDecorator {
  if (typeof token !== 'string' || token === '') {
    throw new InvalidConfigurationError([
      `@InjectOneOffJob(): must be given the name of a job, or its jobBootstrapBeanName, got ${describeValue(token)}`,
    ]);
  }
  const inject = Inject(token);
  return (target: object, key: string | symbol | undefined, index?: number) => {
    const asker = typeof target === 'function' ? target : target.constructor;
    declareToken(asker, token);
    Reflect.defineMetadata(INJECTED, [...oneOffJobsAskedBy(asker), token], asker);
    inject(target, key as string, index as number);
  };
}

/** The jobs that a class is decorated as. A subclass without a decorator of its own inherits its parent's jobs. */
export function jobsOf(type: object): readonly ElasticJobMetadata[] {
  return (Reflect.getMetadata(METADATA, type) as readonly ElasticJobMetadata[] | undefined) ?? [];
}

/** The tokens that `@InjectOneOffJob` names in a class and in its base classes. */
export function oneOffJobsAskedBy(type: object): readonly string[] {
  return (Reflect.getMetadata(INJECTED, type) as readonly string[] | undefined) ?? [];
}
