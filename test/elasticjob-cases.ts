/** The cases of ElasticJob's own tests, in our words, and the tests that show them here. The table is not complete yet. */

/** One case of one of ElasticJob's test classes. */
export interface ElasticJobCase {
  /** The class of ElasticJob that the case tests. */
  readonly of: string;
  /** What the case says, in our words. */
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
const HANDLERS = 'unit/kernel/error-handlers.spec.ts';
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
    file: 'unit/kernel/misfire.spec.ts',
    title: 'EJ2113: keeps no other item from its firings',
    differs: 'Java drops the whole firing; we run the items that are free',
  },
  {
    of: 'ElasticJobExecutor',
    says: 'a misfired run is made up for',
    file: 'unit/kernel/misfire.spec.ts',
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
    file: 'unit/kernel/job-bootstrap.spec.ts',
    title: 'must not have a cron',
  },
  {
    of: 'OneOffJobBootstrap',
    says: 'runs every item once',
    file: 'unit/kernel/job-bootstrap.spec.ts',
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
    file: 'unit/kernel/distribute-once.spec.ts',
    title: 'is called before the first item starts and after the last one has completed',
  },
  {
    of: 'AbstractDistributeOnceElasticJobListener',
    says: 'not all start in time',
    file: 'unit/kernel/distribute-once.spec.ts',
    title: 'before the start notifies the error handler in Java’s words',
    differs: 'Java ends the wait with an exception; we notify the error handler and run the items',
  },
  {
    of: 'AbstractDistributeOnceElasticJobListener',
    says: 'not all complete in time',
    file: 'unit/kernel/distribute-once.spec.ts',
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
];
