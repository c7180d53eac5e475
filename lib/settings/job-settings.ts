import { Matches } from 'class-validator';
import { JobOptions } from '../api/job/job-options.js';
import { workerProblem } from '../api/job/worker-job.js';
import { BooleanSetting, rule, Setting, TextSetting } from '../api/settings/setting.js';
import { DataSourceSetting } from './tracing-settings.js';

/** A class, by which a provider can be named. */
export type ProviderClass = abstract new (...args: never[]) => object;

const CLASS_NAME = "must be a class name without blanks, such as 'org.acme.SyncOrdersJob'";

/** `elasticjob.jobs.<name>`: overrides the job's settings field by field, or defines a job by itself. */
export class JobSettings extends JobOptions {
  /**
   * The provider that does the work, by its class name (in code also by the class). Not together with `elasticJobType`.
   * A Java class (`org.acme.SyncOrdersJob`) means the provider that has its name without the package, and is the
   * default of `jobClassName`. `SimpleJob`, `DataflowJob`, or a base class means the only provider of that kind.
   */
  @Setting({ kind: 'text' }, rule('class', elasticJobClassProblem)) elasticJobClass?: string | ProviderClass;
  /** The executor that does the work, by its type. Not together with `elasticJobClass`. */
  @TextSetting({}, (context) => Matches(/\S/, { ...context, message: 'must be the type of an executor' }))
  elasticJobType?: string;
  /**
   * The module that does the work in worker threads, instead of a class or a type: a path, or in code a `file:` URL. It
   * stays in this process: the registry centre does not have it. `props['run.worker']` is its counterpart that is
   * stored.
   */
  @Setting({ kind: 'text' }, rule('worker', workerProblem)) worker?: string | URL;
  /** Token under which the job's bootstrap is injected. Default: the job's name. */
  @TextSetting() jobBootstrapBeanName?: string;
  /**
   * Text of the job's root node; a job that joins a Java job needs that job's class name.
   * Default: the Java class of `elasticJobClass`, the type, or the job's name.
   */
  @TextSetting({}, (context) => Matches(/^\S*$/, { ...context, message: CLASS_NAME }))
  jobClassName?: string;
  /**
   * The name of the job's registry centre among `elasticjob.regCenters`, or `default`: that of `elasticjob.regCenter`.
   * It is not stored. Default: `default`.
   */
  @TextSetting() registryCenter?: string;
  /**
   * The `DataSource` that records the job's runs, if `elasticjob.tracing.type` is RDB: in code, the name or injection
   * token of a provider, or an object; in a file, its name. It is not stored. Default: that of
   * `elasticjob.tracing.dataSource`.
   */
  @DataSourceSetting() tracingDataSource?: string | symbol | object;
  /** If true, the job is started with the application. Default: `elasticjob.autoStart`. */
  @BooleanSetting() autoStart?: boolean;
  /**
   * The name of `jobExecutorThreadPoolSizeProviderType` until Java's 3.0.4; not together with it. A configuration that
   * is stored because of this setting can be read by Java peers up to 3.0.4, and not by later ones.
   */
  @TextSetting() jobExecutorServiceHandlerType?: string;
}

/** @returns the problem with an `elasticJobClass`, or undefined */
export function elasticJobClassProblem(value: unknown): string | undefined {
  const isNamed = typeof value === 'string' && value.trim() !== '';
  return isNamed || typeof value === 'function' ? undefined : 'must be the class name of a provider';
}
