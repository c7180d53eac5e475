/**
 * The cases of ElasticJob's own tests for executors, error handlers, strategies, listeners and bootstraps, in our
 * words, and the tests that show them here. Not listed are cases of what is not there yet (tracing, the operation API,
 * the dump).
 */

/** One case of one of ElasticJob's test classes. */
export interface ElasticJobCase {
  /** The class of ElasticJob that the case tests. */
  readonly of: string;
  /** The case in our words. */
  readonly says: string;
  /** The spec file below `test/`. */
  readonly file: string;
  /** The title of the test as its file has it, or a part of it that occurs once in the file. */
  readonly title: string;
  /** How our behaviour differs, and why; absent if it is that of Java. */
  readonly differs?: string;
}

const ROBOTS = 'error-handlers/robots.spec.ts';
const PROPERTIES = 'unit/error-handlers/properties.spec.ts';
const HANDLERS = 'unit/kernel/types/error-handlers.spec.ts';
const PARAMETERS = 'unit/layout/sharding-item-parameters.spec.ts';
const REFUSED = "('the properties of %s: %j', (type, props, expected)";
const ACCEPTED = "('the properties of %s: %j', (type, props) =>";
const LATER_TRIES = 'Java gives up at once; we try again at most five times where a retry may help';

const robot = (of: string): readonly ElasticJobCase[] => [
  { of, says: 'success is logged', file: ROBOTS, title: 'posts Java’s payload to the webhook' },
  { of, says: 'a wrong token is logged with its text', file: ROBOTS, title: 'says what the robot answers to %s' },
  { of, says: 'status 404 is logged', file: ROBOTS, title: 'says that the server answers with status %d' },
  { of, says: 'an unknown host is logged', file: ROBOTS, title: 'says that the host is unknown', differs: LATER_TRIES },
];

const validator = (of: string): readonly ElasticJobCase[] => [
  { of, says: 'all properties are there', file: PROPERTIES, title: ACCEPTED },
  {
    of,
    says: 'the first property is missing',
    file: PROPERTIES,
    title: REFUSED,
    differs: 'Java names the first missing property; we name all of them',
  },
];

export const CASES: readonly ElasticJobCase[] = [
  {
    of: 'ElasticJobExecutor',
    says: 'the failure of a single item is thrown by a throwing handler',
    file: HANDLERS,
    title: 'with %d items it ends as failed',
  },
  {
    of: 'ElasticJobExecutor',
    says: 'the failure of one of several items is not thrown',
    file: HANDLERS,
    title: 'with %d items it ends as failed',
    differs: 'THROW interrupts the firing whatever the number of its items',
  },
  {
    of: 'ElasticJobExecutor',
    says: 'a run that meets running items runs nothing',
    file: 'unit/kernel/lanes/misfire.spec.ts',
    title: 'EJ2113: keeps no other item from its firings',
    differs: 'Java drops the whole firing; we run the items that are free',
  },
  {
    of: 'ElasticJobExecutor',
    says: 'a misfired run is made up for',
    file: 'unit/kernel/lanes/misfire.spec.ts',
    title: 'EJ390: is run once more when it has ended',
    differs: 'Java runs all items again; we run only the item that missed a firing',
  },
  {
    of: 'ElasticJobExecutor',
    says: 'a failing listener before the run prevents processing',
    file: HANDLERS,
    title: 'a listener that fails in its callback %s lets these items run',
  },
  {
    of: 'ElasticJobExecutor',
    says: 'a failing listener after the run fails when the items have been processed',
    file: HANDLERS,
    title: 'a listener that fails in its callback %s lets these items run',
  },
  {
    of: 'JobErrorHandlerReloader',
    says: 'initialises, and closes at shutdown',
    file: HANDLERS,
    title: 'is prepared before its job starts',
  },
  {
    of: 'JobErrorHandlerReloader',
    says: 'another type closes the former handler',
    file: HANDLERS,
    title: 'lets go of a job as soon as a failure is reported to another one',
  },
  {
    of: 'JobErrorHandlerReloader',
    says: 'other properties are used',
    file: ROBOTS,
    title: 'goes to another webhook as soon as the props say so',
    differs: 'one handler serves all jobs and reads the props of each failure; it is not closed',
  },
  {
    of: 'ShardingItemParameters',
    says: 'xxx-xxx is an error',
    file: PARAMETERS,
    title: 'is refused with Java’s message',
  },
  {
    of: 'ShardingItemParameters',
    says: 'xxx=xxx is an error',
    file: PARAMETERS,
    title: 'is not the number of an item',
  },
  { of: 'ShardingItemParameters', says: 'an empty text', file: PARAMETERS, title: 'is read as Java reads it' },
  {
    of: 'ShardingItemParameters',
    says: 'parameters of two items',
    file: PARAMETERS,
    title: 'is read as Java reads it',
  },
  {
    of: 'TaskContext',
    says: 'builds and parses an id with items, and without',
    file: 'unit/layout/task-id.spec.ts',
    title: 'has the five parts that Java wants',
  },
  {
    of: 'OneOffJobBootstrap',
    says: 'a cron is rejected',
    file: 'unit/kernel/life/job-bootstrap.spec.ts',
    title: 'must not have a cron',
  },
  {
    of: 'OneOffJobBootstrap',
    says: 'runs every item once',
    file: 'unit/kernel/life/job-bootstrap.spec.ts',
    title: 'runs all its items each time it is executed',
  },
  {
    of: 'HttpJobExecutor',
    says: 'an empty address or method is an error',
    file: 'unit/executors/http.spec.ts',
    title: '%s=%j is refused',
  },
  ...robot('DingtalkJobErrorHandler'),
  {
    of: 'DingtalkJobErrorHandler',
    says: 'the keyword comes first',
    file: ROBOTS,
    title: 'begins the text with the keyword',
  },
  { of: 'DingtalkJobErrorHandler', says: 'the secret signs', file: ROBOTS, title: 'signs the webhook with the secret' },
  ...robot('WechatJobErrorHandler'),
  ...validator('DingtalkJobErrorHandlerPropertiesValidator'),
  ...validator('WechatJobErrorHandlerPropertiesValidator'),
  ...validator('EmailJobErrorHandlerPropertiesValidator'),
  { of: 'HttpJobExecutor', says: 'a GET', file: 'unit/executors/http.spec.ts', title: 'may be a %s' },
  { of: 'HttpJobExecutor', says: 'a POST with data', file: 'unit/executors/http.spec.ts', title: 'may be a %s' },
  {
    of: 'HttpJobExecutor',
    says: 'POST, PUT and DELETE have a body',
    file: 'unit/executors/http.spec.ts',
    title: 'may be a %s',
  },
  {
    of: 'HttpJobExecutor',
    says: 'the sharding context is a header',
    file: 'unit/executors/http.spec.ts',
    title: 'has the method, the path and the sharding context in a header',
  },
  {
    of: 'HttpJobExecutor',
    says: 'a status such as 404 does not fail the item',
    file: 'unit/executors/http.spec.ts',
    title: 'is a warning as in Java, or a failure if that is wanted',
  },
  {
    of: 'HttpJobExecutor',
    says: 'a read timeout fails the item',
    file: 'unit/executors/http.spec.ts',
    title: 'if the server is silent for too long %s',
  },
  {
    of: 'ScriptJobExecutor',
    says: 'a missing command is an error',
    file: 'unit/executors/script.spec.ts',
    title: 'that was removed while the job runs fails the item',
  },
  {
    of: 'ScriptJobExecutor',
    says: 'a script that does not exist is an error',
    file: 'unit/executors/script.spec.ts',
    title: "('if %s'",
  },
  {
    of: 'ScriptJobExecutor',
    says: 'a script that echoes succeeds',
    file: 'unit/executors/script.spec.ts',
    title: 'as $1 of a shell script',
  },
  {
    of: 'DataflowJobExecutor',
    says: 'fetches and processes once',
    file: 'unit/executors/dataflow.spec.ts',
    title: 'fetches once for each firing, and processes what it has fetched',
  },
  {
    of: 'DataflowJobExecutor',
    says: 'a stream ends when the items must be assigned again',
    file: 'unit/executors/dataflow.spec.ts',
    title: 'makes way for another instance, and goes on there',
  },
  {
    of: 'AbstractDistributeOnceElasticJobListener',
    says: 'all have started, and all have completed',
    file: 'unit/kernel/once/distribute-once.spec.ts',
    title: 'is called before the first item starts and after the last one has completed',
  },
  {
    of: 'AbstractDistributeOnceElasticJobListener',
    says: 'not all start in time',
    file: 'unit/kernel/once/distribute-once.spec.ts',
    title: 'before the start notifies the error handler in Java’s words',
    differs: 'Java ends the wait with an exception; we notify the error handler and run the items',
  },
  {
    of: 'AbstractDistributeOnceElasticJobListener',
    says: 'not all complete in time',
    file: 'unit/kernel/once/distribute-once.spec.ts',
    title: 'after completion lets the instance fire again',
    differs: 'the call still comes with the last item to complete',
  },
  {
    of: 'EmailJobErrorHandler',
    says: 'success is logged',
    file: 'error-handlers/email.spec.ts',
    title: 'has Java’s text, in HTML that shows it as it is',
  },
  {
    of: 'EmailJobErrorHandler',
    says: 'a failure to deliver is logged',
    file: 'error-handlers/email.spec.ts',
    title: 'a wrong password, at once',
  },
  {
    of: 'ElasticJobExecutor',
    says: 'clocks that differ too much run nothing, and the handler is notified',
    file: 'unit/kernel/run/runs.spec.ts',
    title: 'whose clock differs too much tells the error handler of each firing once',
  },
  {
    of: 'ElasticJobExecutor',
    says: 'a run without items runs nothing',
    file: 'unit/kernel/run/run-events.spec.ts',
    title: 'that there was nothing to run, because the instance owns no items',
  },
  {
    of: 'ElasticJobExecutor',
    says: 'all items succeed',
    file: 'unit/kernel/run/run-events.spec.ts',
    title: 'a run from its staging over its items to its end',
  },
  {
    of: 'ElasticJobExecutor',
    says: 'the failures of two items are told together',
    file: 'unit/kernel/run/run-events.spec.ts',
    title: 'how many items have succeeded, failed and been aborted',
    differs: 'Java joins the failures in one text; each failure is reported by itself, with its item',
  },
  {
    of: 'ExecutorServiceReloader',
    says: 'changed settings change the size of the pool',
    file: 'unit/kernel/run/pool.spec.ts',
    title: 'lets waiting items of earlier firings start at the next firing',
    differs: 'Java makes another pool; the size of the one pool is asked for at each firing',
  },
  {
    of: 'JobItemExecutorFactory',
    says: 'an object of no known kind is refused',
    file: 'unit/kernel/life/job-bootstrap.spec.ts',
    title: "['an object that is no job'",
  },
  {
    of: 'JobItemExecutorFactory',
    says: 'an executor is found for an object of its kind, that of a subclass included',
    file: 'unit/kernel/life/job-bootstrap.spec.ts',
    title: 'a job of another kind is run by the executor that accepts it',
    differs: 'kinds are recognised by their methods, not by their class',
  },
  {
    of: 'JobConfigurationPOJO and YamlEngine',
    says: 'the exact text, with all settings and with few',
    file: 'unit/layout/job-configuration-yaml.spec.ts',
    title: 'has the very bytes of Java 3.0.5 for',
  },
  {
    of: 'JobConfigurationPOJO and YamlEngine',
    says: 'the text is read back',
    file: 'unit/layout/job-configuration-yaml.spec.ts',
    title: 'is what Java 3.0.5 itself has stored for %p',
  },
  {
    of: 'AverageAllocationJobShardingStrategy',
    says: 'fewer items than instances, and numbers that do and do not divide evenly',
    file: 'unit/kernel/types/strategies.spec.ts',
    title: 'AVG_ALLOCATION gives neighbours together: %i items',
  },
  {
    of: 'AverageAllocationJobShardingStrategy',
    says: 'as Java in random clusters',
    file: 'unit/kernel/types/strategies.spec.ts',
    title: 'of 200 random clusters, each instance has the items that Java 3.0.5 gives it',
  },
  {
    of: 'OdevitySortByNameJobShardingStrategy',
    says: 'as Java in random clusters',
    file: 'unit/kernel/types/strategies.spec.ts',
    title: 'of 200 random clusters, each instance has the items that Java 3.0.5 gives it',
  },
  {
    of: 'RoundRobinByNameJobShardingStrategy',
    says: 'as Java in random clusters',
    file: 'unit/kernel/types/strategies.spec.ts',
    title: 'of 200 random clusters, each instance has the items that Java 3.0.5 gives it',
  },
  {
    of: 'RoundRobinByNameJobShardingStrategy',
    says: 'a name with the smallest hash',
    file: 'unit/kernel/types/strategies.spec.ts',
    title: 'ROUND_ROBIN also works for a name whose hash is the smallest integer',
    differs: 'Java fails',
  },
  {
    of: 'AbstractDistributeOnceElasticJobListener',
    says: 'not all have come, and the instance that comes last releases the others',
    file: 'unit/kernel/once/distribute-once.spec.ts',
    title: 'that came first leaves the call to the instance that comes last',
  },
  {
    of: 'GuaranteeService',
    says: 'all nodes of a stage are there, and are removed after the call',
    file: 'unit/kernel/once/distribute-once.spec.ts',
    title: 'its nodes count, and the stage’s node is removed',
  },
  {
    of: 'GuaranteeService',
    says: 'some nodes of a stage are missing',
    file: 'unit/kernel/once/distribute-once.spec.ts',
    title: 'an owner that lives and does not begin, for longer than ten seconds',
  },
  {
    of: 'ScheduleJobBootstrap',
    says: 'a shutdown stops the timer',
    file: 'unit/kernel/life/job-bootstrap.spec.ts',
    title: 'nothing keeps a clock waiting once the last job has been shut down',
  },
  {
    of: 'ScheduleJobBootstrap',
    says: 'a shutdown ends code that loops',
    file: 'unit/nest/lifecycle.spec.ts',
    title: 'the signal of items that outlast the grace period aborts',
    differs: 'Java interrupts the thread; nothing can interrupt JavaScript, so its signal aborts',
  },
  {
    of: 'Native tests',
    says: 'a script job is run',
    file: 'campaigns/interop/job-types.spec.ts',
    title: 'A script job that %s has stored is shared by %s',
  },
  {
    of: 'Native tests',
    says: 'an HTTP job is run',
    file: 'campaigns/interop/job-types.spec.ts',
    title: 'An HTTP job is shared, and both send the same header',
  },
  {
    of: 'Native tests',
    says: 'a streaming dataflow job is run',
    file: 'campaigns/interop/job-types.spec.ts',
    title: 'The streams of %s make way for %s',
  },
  {
    of: 'Native tests',
    says: 'the application of the starter’s test runs a one-off job',
    file: 'docs/application-yml.spec.ts',
    title: 'its one-off job is injected by the name of its bean, and runs its items when it is executed',
  },
  {
    of: 'Native tests',
    says: 'two jobs of one name in a process do not conflict',
    file: 'unit/kernel/life/job-bootstrap.spec.ts',
    title: 'of a name that the process already has is refused, naming both owners',
    differs: 'the second one is refused: both would run the items of one job',
  },
];
