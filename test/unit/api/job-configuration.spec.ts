import { inspect } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { InvalidConfigurationError } from '../../../lib/api/errors/errors.js';
import { JobConfiguration, jobConfiguration } from '../../../lib/api/job/job-configuration.js';

const faultsOf = (settings: Record<string, unknown>): readonly string[] => {
  try {
    jobConfiguration({ jobName: 'job', shardingTotalCount: 3, ...settings });
    return [];
  } catch (error) {
    return (error as InvalidConfigurationError).faults;
  }
};

const circle: Record<string, unknown> = {};
circle['self'] = circle;

const INT = 'must be an integer of at least 1';
const FLAG = 'must be true or false';
const PRINTABLE = 'must not contain control characters, which Java peers could not read back';
const SEPARATORS = 'must not contain the line separators U+0085, U+2028 and U+2029';
const NO_NUL = 'must not contain the character U+0000, at which programs and databases end a text';

test('jobs without listeners and properties share that they have none, which nobody can change', () => {
  const [one, another] = ['one', 'another'].map((jobName) => jobConfiguration({ jobName, shardingTotalCount: 1 }));

  expect(one!.props).toBe(another!.props);
  expect(one!.jobListenerTypes).toBe(another!.jobListenerTypes);
  expect([Object.isFrozen(one!.props), Object.isFrozen(one!.jobListenerTypes)]).toEqual([true, true]);
});

test('settings that are left out have the defaults of the manual', () => {
  expect(jobConfiguration({ jobName: 'job', shardingTotalCount: 3 })).toEqual({
    jobName: 'job',
    shardingTotalCount: 3,
    shardingItemParameters: '',
    jobParameter: '',
    monitorExecution: true,
    failover: false,
    misfire: true,
    maxTimeDiffSeconds: -1,
    reconcileIntervalMinutes: 10,
    jobListenerTypes: [],
    description: '',
    props: {},
    disabled: false,
    overwrite: false,
    staticSharding: false,
  });
});

test('given settings are kept, and empty texts count as left out', () => {
  const configuration = jobConfiguration({
    jobName: '同步订单',
    shardingTotalCount: 2,
    cron: '0/5 * * * * ?',
    timeZone: 'GMT+08:00',
    shardingItemParameters: '0=Beijing,1=Shanghai',
    jobParameter: 'p',
    monitorExecution: false,
    failover: true,
    misfire: false,
    maxTimeDiffSeconds: 1,
    reconcileIntervalMinutes: 0,
    jobShardingStrategyType: 'ODEVITY',
    jobExecutorThreadPoolSizeProviderType: '',
    jobErrorHandlerType: 'THROW',
    jobListenerTypes: ['A'],
    description: 'd',
    props: { email: { port: 25, ssl: true }, plain: 'x' },
    disabled: true,
    overwrite: true,
    label: '',
    staticSharding: true,
  });

  expect(configuration).toEqual({
    jobName: '同步订单',
    shardingTotalCount: 2,
    cron: '0/5 * * * * ?',
    timeZone: 'GMT+08:00',
    shardingItemParameters: '0=Beijing,1=Shanghai',
    jobParameter: 'p',
    monitorExecution: false,
    failover: true,
    misfire: false,
    maxTimeDiffSeconds: 1,
    reconcileIntervalMinutes: 0,
    jobShardingStrategyType: 'ODEVITY',
    jobErrorHandlerType: 'THROW',
    jobListenerTypes: ['A'],
    description: 'd',
    props: { 'email.port': '25', 'email.ssl': 'true', plain: 'x' },
    disabled: true,
    overwrite: true,
    staticSharding: true,
  });
});

test('crontab is kept as the equal Quartz cron expression', () => {
  expect(jobConfiguration({ jobName: 'job', shardingTotalCount: 1, cron: '0 2 * * *' }).cron).toBe('0 0 2 * * ?');
});

test('the builder of the Java quick start makes the same configuration', () => {
  const built = JobConfiguration.newBuilder('myJob', 3)
    .cron('0/5 * * * * ?')
    .shardingItemParameters('0=a,1=b')
    .jobListenerTypes('A', 'B')
    .setProperty('email.host', 'mail')
    .failover(true)
    .build();

  expect(built).toEqual(
    jobConfiguration({
      jobName: 'myJob',
      shardingTotalCount: 3,
      cron: '0/5 * * * * ?',
      shardingItemParameters: '0=a,1=b',
      jobListenerTypes: ['A', 'B'],
      props: { 'email.host': 'mail' },
      failover: true,
    }),
  );
});

test('build() refuses settings that cannot be used', () => {
  expect(() => JobConfiguration.newBuilder('', 0).build()).toThrow(InvalidConfigurationError);
  expect(() => JobConfiguration.newBuilder('job', 1).setProperty('__proto__', 'x').build()).toThrow(
    "must not have the key '__proto__'",
  );
});

describe('a wrong value is named with its key path and what is allowed:', () => {
  test.each<[string, unknown, string]>([
    ['shardingTotalCount', 'three', `${INT}, got "three"`],
    ['shardingTotalCount', '3', `${INT}, got "3"`],
    ['shardingTotalCount', 0, `${INT}, got 0`],
    ['shardingTotalCount', -1, `${INT}, got -1`],
    ['shardingTotalCount', 1.5, `${INT}, got 1.5`],
    ['shardingTotalCount', NaN, `${INT}, got NaN`],
    ['shardingTotalCount', Infinity, `${INT}, got Infinity`],
    ['shardingTotalCount', 1n, `${INT}, got 1`],
    ['shardingTotalCount', null, `${INT}, got null`],
    ['shardingTotalCount', [3], `${INT}, got [3]`],
    ['shardingTotalCount', {}, `${INT}, got keys with values`],
    ['shardingTotalCount', true, `${INT}, got true`],
    ['shardingTotalCount', 100_001, 'must be an integer of at most 100000, got 100001'],
    ['shardingTotalCount', 1e300, 'must be an integer of at most 100000, got 1e+300'],
    ['maxTimeDiffSeconds', 2 ** 31, 'must be -1 (no check) or an integer of at most 2147483647, got 2147483648'],
    ['monitorExecution', 'true', `${FLAG}, got "true"`],
    ['failover', 1, `${FLAG}, got 1`],
    ['misfire', null, `${FLAG}, got null`],
    ['disabled', 'yes', `${FLAG}, got "yes"`],
    ['overwrite', {}, `${FLAG}, got keys with values`],
    ['overwrite', new Boolean(false), `${FLAG}, got an instance of Boolean`],
    ['staticSharding', [], `${FLAG}, got []`],
    ['maxTimeDiffSeconds', 0, 'must be -1 (no check) or an integer of at least 1, got 0'],
    ['maxTimeDiffSeconds', -2, 'must be -1 (no check) or an integer of at least 1, got -2'],
    ['maxTimeDiffSeconds', '60', 'must be -1 (no check) or an integer of at least 1, got "60"'],
    ['reconcileIntervalMinutes', 0.5, 'must be an integer of at least -1, got 0.5'],
    ['jobParameter', 5, 'must be a text, got 5'],
    ['description', null, 'must be a text, got null'],
    ['label', ['a'], 'must be a text, got ["a"]'],
    ['label', new String('a'), 'must be a text, got an instance of String'],
    ['label', '\ud83d$value', 'must not contain half a surrogate pair, got "\\ud83d$value"'],
    ['misfire', '$target', `${FLAG}, got "$target"`],
    ['cron', 5, "must be a cron expression such as '0/5 * * * * ?', got 5"],
    ['cron', null, "must be a cron expression such as '0/5 * * * * ?', got null"],
    ['timeZone', 8, "must be a time zone such as 'GMT+08:00' or 'Asia/Shanghai', got 8"],
    ['jobListenerTypes', 'A', 'must be a list of texts that are not empty, got "A"'],
    ['jobListenerTypes', [' '], 'must be a list of texts that are not empty, got [" "]'],
    ['jobListenerTypes', ['A', ''], 'must be a list of texts that are not empty, got ["A",""]'],
    ['jobListenerTypes', ['A', 'B\u0007'], `${PRINTABLE}, got ["A","B\\u0007"]`],
    ['description', 'half \ud83d', 'must not contain half a surrogate pair, got "half \\ud83d"'],
    ['description', 'a\0b', `${NO_NUL}, got "a\\u0000b"`],
    ['jobParameter', '\0', `${NO_NUL}, got "\\u0000"`],
    ['label', '\0', `${NO_NUL}, got "\\u0000"`],
    ['jobListenerTypes', ['a', '\0'], `${NO_NUL}, got ["a","\\u0000"]`],
    ['jobParameter', 'a\u2028b', `${SEPARATORS}, got "a\u2028b"`],
    ['props', { key: 'a\u0000' }, `${NO_NUL}, as 'key' does, got keys with values`],
    ['props', { 'k\u0007': 'a' }, `${PRINTABLE}, as 'k\\u0007' does, got keys with values`],
    ['props', { key: 'a\u0085' }, `${SEPARATORS}, as 'key' does, got keys with values`],
    ['props', { key: '\udead' }, "must not contain half a surrogate pair, as 'key' does, got keys with values"],
    ['props', { rate: NaN }, "must be keys with texts (key: text), but 'rate' is NaN, got keys with values"],
    [
      'props',
      { rate: -Infinity },
      "must be keys with texts (key: text), but 'rate' is -Infinity, got keys with values",
    ],
    ['props', 'a=b', 'must be keys with texts (key: text), got a string that is not shown'],
    ['props', { password: null }, "must be keys with texts (key: text), but 'password' is null, got keys with values"],
    ['props', { 'a.b': '1', a: { b: '2' } }, "must have the key 'a.b' only once, got keys with values"],
    ['props', { a: [1] }, "must be keys with texts (key: text), but 'a' is a list, got keys with values"],
    ['props', circle, 'must not be nested more than 16 deep, got keys with values'],
    ['props', { '': 'a' }, "must not have the key '', got keys with values"],
    ['props', JSON.parse('{"__proto__":"x"}'), "must not have the key '__proto__', got keys with values"],
  ])('%s %p', (key, value, said) => {
    expect(faultsOf({ [key]: value })).toEqual([`elasticjob.jobs.job.${key}: ${said}`]);
  });

  test.each<[unknown, string]>([
    ['0', "but '0' is not of the form item=parameter"],
    ['0=', "but '0=' is not of the form item=parameter"],
    ['0=a=b', "but '0=a=b' is not of the form item=parameter"],
    ['0=a,,1=b', "but '' is not of the form item=parameter"],
    ['a=0', "but 'a' is not the number of an item"],
    ['-1=a', "but '-1' is not the number of an item"],
    ['1.5=a', "but '1.5' is not the number of an item"],
    ['0=a,0=b', 'but item 0 has two parameters'],
    ['0=a,00=b', 'but item 0 has two parameters'],
    ['$property=$target', "but '$property' is not the number of an item"],
    ['$constraint1', "but '$constraint1' is not of the form item=parameter"],
  ])('shardingItemParameters %p', (value, said) => {
    expect(faultsOf({ shardingItemParameters: value })).toEqual([
      `elasticjob.jobs.job.shardingItemParameters: must be like '0=Beijing,1=Shanghai', ${said}, got ${JSON.stringify(value)}`,
    ]);
  });

  test.each(['0 0 0 31 2 ?', '0 0 0 29 2 ? 2027', '0 0 0 1 1 ? 2500'])('cron %p, which never fires', (cron) => {
    expect(faultsOf({ cron })).toEqual([`elasticjob.jobs.job.cron: it never fires, got "${cron}"`]);
  });

  test('a timeZone that resembles none, with the reason alone', () => {
    expect(faultsOf({ timeZone: 'nonsense' })).toEqual([
      `elasticjob.jobs.job.timeZone: must be a time zone such as 'GMT+08:00' or 'Asia/Shanghai'; allowed are GMT with an offset ` +
        `up to 23:59 ('GMT+8', 'GMT+08:00', 'GMT-0530'), 'UTC', and IANA ids such as 'Asia/Shanghai', got "nonsense"`,
    ]);
  });

  test('a misspelt timeZone, with the nearest known one', () => {
    expect(faultsOf({ timeZone: 'Asia/Shangai' })[0]).toMatch(
      /; did you mean 'Asia\/Shanghai'\?, got "Asia\/Shangai"$/,
    );
  });

  test.each([
    ['cron', '\u001b[31m 0 0 0 * ?'],
    ['cron', `${'x'.repeat(10_000)} * * * * ?`],
    ['shardingItemParameters', '0=a\n1=b'],
    ['shardingItemParameters', 'x'.repeat(10_000)],
    ['timeZone', 'x'.repeat(10_000)],
  ])('%s, in one line of ordinary length, whatever stands in it', (key, value) => {
    const [fault = '', ...others] = faultsOf({ [key]: value });
    expect(others).toEqual([]);
    expect(fault.length).toBeLessThan(600);
    expect(fault).not.toMatch(/\p{Cc}/u);
  });

  test('shardingItemParameters beyond the last item', () => {
    expect(faultsOf({ shardingItemParameters: '0=a,3=d' })).toEqual([
      'elasticjob.jobs.job.shardingItemParameters: must only name items from 0 to 2, as shardingTotalCount is 3, ' +
        'but names item 3, got "0=a,3=d"',
    ]);
  });

  test.each([
    ['bad', "it has no '?', hence is crontab text, and it has 1 field, but 5 or 6 are needed; allowed are "],
    ['0/70 * * * * ?', "seconds '0/70' has the step 70 in '0/70', of which 59 is the largest; allowed are "],
    ['0 0 12 * * L-30W', "it has no '?', hence is crontab text, "],
    ['0 0 12 L-30W * ?', "day of month 'L-30W' "],
    ['0 0 12 1 * MON ?', ''],
    ['* * * * * * * * *', "it has no '?', hence is crontab text, and it has 9 fields"],
  ])('cron %p, with the reason first', (cron, reason) => {
    const [fault, ...others] = faultsOf({ cron });
    expect(others).toEqual([]);
    expect(fault).toContain(`elasticjob.jobs.job.cron: ${reason}`);
    expect(fault).toContain(`, got ${JSON.stringify(cron)}`);
  });

  test('a cron with a placeholder of Spring, which is not replaced', () => {
    expect(faultsOf({ cron: '${CRON}' })).toEqual([
      `elasticjob.jobs.job.cron: must not have placeholders such as \${…}, which are replaced in files only, got "\${CRON}"`,
    ]);
  });

  test('a text that would not fit into a node of ZooKeeper', () => {
    const description = 'x'.repeat(250_001);
    expect(faultsOf({ description })).toEqual([
      expect.stringMatching(
        /^elasticjob\.jobs\.job\.description: must not be longer than 250000 bytes, .+, got "x{79}…/,
      ),
    ]);
    expect(faultsOf({ description: 'x'.repeat(250_000) })).toEqual([]);
  });

  test.each<[key: unknown, value: unknown, got: string]>([
    [1, 2, '1 and a number that is not shown'],
    ['key', 2, '"key" and a number that is not shown'],
    [1, 'value', '1 and a string that is not shown'],
  ])('a property that is no text, given to the builder from JavaScript: %p, %p', (key, value, got) => {
    const builder = JobConfiguration.newBuilder('job', 1).setProperty(key as never, value as never);
    expect(() => builder.build()).toThrow(`elasticjob.jobs.job.props: setProperty() needs two texts, got ${got}`);
  });

  test.each(['GMT+99', 'Asia/Shanghay', '+08:00', 'nonsense', ' GMT'])('timeZone %p', (timeZone) => {
    const [fault, ...others] = faultsOf({ timeZone });
    expect(others).toEqual([]);
    expect(fault).toMatch(
      /^elasticjob\.jobs\.job\.timeZone: must be a time zone such as 'GMT\+08:00' or 'Asia\/Shanghai'; .+, got "/,
    );
  });

  test.each<[unknown, string, string]>([
    ['', '[""]', 'must be a text that is not empty, got ""'],
    [undefined, '[undefined]', 'must be a text that is not empty, got undefined'],
    [5, '[5]', 'must be a text that is not empty, got 5'],
    ['a/b', '["a/b"]', `must not contain '/', as it names a node of the registry centre, got "a/b"`],
    [' a', '[" a"]', 'must not begin or end with a space, got " a"'],
    ['.', '["."]', 'must be another name, as this one has a special meaning, got "."'],
    ['..', '[".."]', 'must be another name, as this one has a special meaning, got ".."'],
    ['a@-@b', '["a@-@b"]', `must not contain '@-@', which separates the parts of task ids, got "a@-@b"`],
    ['__proto__', '.__proto__', 'must be another name, as this one has a special meaning, got "__proto__"'],
    [
      'job😀',
      '["job😀"]',
      'must not contain control characters, emoji or other characters that ZooKeeper refuses in names, got "job😀"',
    ],
  ])('jobName %p', (jobName, path, said) => {
    expect(faultsOf({ jobName })).toEqual([`elasticjob.jobs${path}: the job's name ${said}`]);
  });
});

test('the reason why a cron expression is refused keeps the dots of what it quotes', () => {
  expect(faultsOf({ cron: '0.5 * * * * ?' })[0]).toContain("'0.5'");
});

test('all settings are checked although a key would replace what they are checked by', () => {
  const faults = faultsOf(JSON.parse('{ "__proto__": {}, "shardingTotalCount": 0 }') as Record<string, unknown>);

  expect(faults.map((fault) => fault.split(':')[0])).toEqual([
    'elasticjob.jobs.job.__proto__',
    'elasticjob.jobs.job.shardingTotalCount',
  ]);
});

test('a schedule that is empty is none', () => {
  expect(faultsOf({ cron: '', timeZone: '' })).toEqual([]);
});

test('properties may be nested sixteen deep', () => {
  const nested = (depth: number): object => (depth === 0 ? { end: 'x' } : { a: nested(depth - 1) });

  expect(faultsOf({ props: nested(16) })).toEqual([]);
  expect(faultsOf({ props: nested(17) })).toHaveLength(1);
});

test('parameters of items are judged by themselves if the number of items is wrong', () => {
  expect(faultsOf({ shardingTotalCount: '3', shardingItemParameters: '0=a,3=b' })).toEqual([
    `elasticjob.jobs.job.shardingTotalCount: ${INT}, got "3"`,
  ]);
});

test('a missing number of items is named', () => {
  expect(faultsOf({ shardingTotalCount: undefined })).toEqual([
    'elasticjob.jobs.job.shardingTotalCount: is required and must be an integer of at least 1',
  ]);
});

test('an unknown key suggests the known one that is nearest', () => {
  expect(faultsOf({ shardingTotalCont: 3 })).toEqual([
    "elasticjob.jobs.job.shardingTotalCont: unknown key; did you mean 'shardingTotalCount'?",
  ]);
  expect(faultsOf({ constructor: 3 })).toEqual(['elasticjob.jobs.job.constructor: unknown key']);
});

test('all problems are listed at once, one line each', () => {
  const faults = faultsOf({ shardingTotalCount: 0, failover: 'no', cron: 'bad', nonsense: 1 });

  expect(faults.map((fault) => fault.split(':')[0])).toEqual([
    'elasticjob.jobs.job.nonsense',
    'elasticjob.jobs.job.cron',
    'elasticjob.jobs.job.shardingTotalCount',
    'elasticjob.jobs.job.failover',
  ]);
  expect(new InvalidConfigurationError(faults).message.split('\n')).toHaveLength(5);
});

test.each([undefined, null, 'job', [], 5])('options that are not a map are refused: %p', (options) => {
  expect(() => jobConfiguration(options as never)).toThrow(
    "A job's configuration must be a plain object of settings, such",
  );
});

test('a secret never appears in a message', () => {
  const faults = faultsOf({ props: { 'email.password': ['hunter2'] }, prosp: { password: 'hunter2' } });

  expect(faults).toHaveLength(2);
  expect(faults.join()).not.toContain('hunter2');
});

describe('key paths', () => {
  const pathOf = (jobName: unknown): string => {
    try {
      jobConfiguration({ jobName: jobName as string });
      return '';
    } catch (error) {
      return (error as InvalidConfigurationError).faults.at(-1)!.replace(/\.shardingTotalCount: .*/s, '');
    }
  };

  test.each([
    ['a.b', 'elasticjob.jobs.a.b'],
    ['..', 'elasticjob.jobs[".."]'],
    ['.a', 'elasticjob.jobs..a'],
    ['a.', 'elasticjob.jobs.a.'],
    ['a b', 'elasticjob.jobs["a b"]'],
    [undefined, 'elasticjob.jobs[undefined]'],
    [Object.create(null), 'elasticjob.jobs[keys with values]'],
    ['x'.repeat(10_000), `elasticjob.jobs["${'x'.repeat(79)}…]`],
  ])('of the job %p', (jobName, path) => {
    expect(pathOf(jobName)).toBe(path);
  });
});

test('a builder is not a configuration before build()', () => {
  const builder: unknown = JobConfiguration.newBuilder('job', 1);

  expect(() => jobConfiguration(builder as { jobName: string })).toThrow(
    "A job's configuration must be a plain object of settings, such as JobConfiguration.newBuilder(…)…build() returns, got an instance of JobConfigurationBuilder",
  );
});

test('a printed error lists each problem once', () => {
  const error = new InvalidConfigurationError(['elasticjob.a: wrong', 'elasticjob.b: wrong']);

  expect(error.faults).toHaveLength(2);
  expect(inspect(error).match(/elasticjob\.a/g)).toHaveLength(1);
});

test('a value with a meaning of its own is accepted outside the bounds', () => {
  expect(faultsOf({ maxTimeDiffSeconds: -1 })).toEqual([]);
});
