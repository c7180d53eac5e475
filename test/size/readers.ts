/**
 * How to call readers of foreign texts that need more than texts, or that stand in classes. Functions that need nothing
 * but texts are in no table: they are found and called as they are.
 */
import { jobConfiguration } from '../../lib/api/job/job-configuration.js';
import { checkOptions, nonEmptyText } from '../../lib/api/settings/call-options.js';
import { nearest, suggestion } from '../../lib/api/text/nearest.js';
import { readSettingsYaml, withChanges } from '../../lib/cli/config/settings-text.js';
import { createProgram } from '../../lib/cli/program/program.js';
import { cutTo, linesOf } from '../../lib/cli/terminal/text.js';
import { csvLine } from '../../lib/console/answers/csv.js';
import { oneOf, readFields, readQuery } from '../../lib/console/http/requests.js';
import { readCookie } from '../../lib/console/security/sessions/session-cookie.js';
import { TrustedProxies } from '../../lib/console/security/callers/trusted-proxies.js';
import { previewOf } from '../../lib/console/services/jobs/fires.js';
import { AddressRules } from '../../lib/console/services/connections/address-rules.js';
import { AddressMask } from '../../lib/api/text/address-mask.js';
import { redacted } from '../../lib/error-handlers/notice-channel.js';
import { PropsReader } from '../../lib/error-handlers/props-reader.js';
import { httpDoubts, httpSettings } from '../../lib/executors/http/http-settings.js';
import { OutputLines } from '../../lib/executors/output-lines.js';
import { parseCommandLine } from '../../lib/executors/script/command-line.js';
import { JobPaths } from '../../lib/layout/job-paths.js';
import { readJobView } from '../../lib/layout/job-view-reader.js';
import { fromRanges } from '../../lib/layout/x-node/item-ranges.js';
import { withEarlier } from '../../lib/layout/x-node/trigger.js';
import { yamlEntry } from '../../lib/layout/yaml-writer.js';
import { answerChallenge } from '../../lib/registry/zookeeper/client/sasl-digest-md5.js';
import { bind } from '../../lib/settings/binding.js';
import { mergeSettings } from '../../lib/settings/merge-settings.js';
import { nestedSettings, nestedTree } from '../../lib/settings/files/nested-keys.js';
import { withoutPlaceholders } from '../../lib/settings/files/placeholders.js';
import { processTimeZoneProblem } from '../../lib/settings/process-time-zone.js';
import { QuartzCron } from '../../lib/time/cron.js';
import { CRON_FIELDS, readSingle, readValues } from '../../lib/time/cron-field.js';
import { cutEnd, cutMiddle } from '../../lib/tracing/rdb/text-width.js';
import { aConfiguration } from '../support/views.js';

/** Reads one text. An error is also an answer. */
export type Reader = (text: string) => unknown;

/** A reader, and where texts must begin so that it reads on. */
export interface KnownReader {
  readonly read: Reader;
  readonly starts?: readonly string[];
}

/** Readers by the names that `exportedReaders()` gives them, and others by what they read. */
export const READERS: Readonly<Record<string, KnownReader>> = {
  ...readers({
    'api/settings/call-options.ts checkOptions': (text) =>
      checkOptions('call()', { [text]: 1, name: text }, { name: nonEmptyText }),
    'api/text/nearest.ts nearest': (text) => [
      nearest(text, ['cron', text.slice(1)]),
      suggestion(text, [text.slice(1)]),
    ],
    'cli/config/settings-text.ts readSettingsYaml': (text) => readSettingsYaml(text, aConfiguration()),
    'cli/config/settings-text.ts withChanges': (text) => withChanges(aConfiguration(), new Map([[text, text]])),
    'cli/terminal/text.ts cutTo': (text) => cutTo(80, text),
    'cli/terminal/text.ts linesOf': (text) => linesOf(text, 80),
    'console/answers/csv.ts csvLine': (text) => csvLine([text, text]),
    'console/http/requests.ts oneOf': (text) => oneOf('failed', text)(text),
    'console/http/requests.ts readFields': (text) => readFields({ [text]: text }, { name: (value) => ({ value }) }),
    'console/http/requests.ts readQuery': (text) => readQuery({ [text]: text }, { name: (value) => ({ value }) }),
    'console/security/sessions/session-cookie.ts readCookie': (text) =>
      readCookie({ headers: { cookie: text } }, { isSecure: false }),
    'console/services/jobs/fires.ts previewOf': (text) => previewOf({ cron: text }, { from: 0, to: 1_000, count: 5 }),
    'api/text/address-mask.ts AddressMask.apply': (text) => new AddressMask().apply(text),
    'error-handlers/notice-channel.ts redacted': (text) => redacted(text, ['secret', text.slice(1, 100)]),
    'executors/script/command-line.ts parseCommandLine': (text) => parseCommandLine(text, 'linux'),
    'layout/x-node/item-ranges.ts fromRanges': (text) => fromRanges(text),
    'layout/x-node/trigger.ts withEarlier': (text) => withEarlier(text, { items: [3], isForAll: false }),
    'layout/yaml-writer.ts yamlEntry': (text) => yamlEntry(text, text),
    'settings/files/nested-keys.ts nestedSettings': (text) => nestedSettings([[text, text]], refuse),
    'settings/files/nested-keys.ts nestedTree': (text) => nestedTree([[text, text]], refuse),
    'settings/files/placeholders.ts withoutPlaceholders': (text) =>
      withoutPlaceholders({ a: text }, { environment: {}, root: { a: text, b: '${a}' } }),
    'settings/process-time-zone.ts processTimeZoneProblem': (text) => processTimeZoneProblem(text, 0),
    'time/cron-field.ts readValues': (text) => readValues(CRON_FIELDS.second, text),
    'time/cron-field.ts readSingle': (text) => readSingle(CRON_FIELDS.month, text),
    'time/cron.ts QuartzCron.parse': (text) => QuartzCron.parse(text),
    'tracing/rdb/text-width.ts cutEnd': (text) => cutEnd(text, 4_000, 'utf-8-bytes'),
    'tracing/rdb/text-width.ts cutMiddle': (text) => cutMiddle(text, 4_000, 'code-points'),
  }),

  // Texts of users in files, the environment, code and on the command line.
  ...readers({
    'settings: a key of a file': (text) => bind([{ source: 'file', tree: { [text]: { [text]: text } } }]),
    'settings: a text in a list and in a map': (text) => bind([{ source: 'file', tree: { jobs: { [text]: [text] } } }]),
    'settings: the name of a variable': (text) =>
      mergeSettings({
        code: [],
        file: undefined,
        environment: { [`ELASTICJOB_JOBS_${text}`]: '1', [`ELASTICJOB_${text}`]: '1' },
      }),
    'settings: the value of a variable': (text) =>
      mergeSettings({
        code: [],
        file: undefined,
        environment: {
          ELASTICJOB_REGCENTER_SERVERLISTS: text,
          ELASTICJOB_JOBS_A_CRON: text,
          ELASTICJOB_DUMP_PORT: text,
        },
      }),
    'command line: a word, an option, and its value': async (text) => {
      for (const words of [
        [text],
        ['jobs', `--${text}`],
        ['jobs', '--timeout', text],
        ['trigger', 'a', '--items', text],
      ])
        await parsedCommandLine(words).catch(() => undefined);
    },
  }),
  ...Object.fromEntries(
    (['cron', 'timeZone', 'shardingItemParameters', 'jobParameter', 'description', 'label'] as const).map((option) => [
      `settings: option ${option} of a job`,
      { read: (text: string) => jobConfiguration({ jobName: 'a', shardingTotalCount: 2, [option]: text }) },
    ]),
  ),
  'settings: a property of a job': {
    read: (text) => jobConfiguration({ jobName: 'a', shardingTotalCount: 2, props: { [text]: text } }),
  },

  // Properties of jobs.
  'executors: the address and the other settings of an HTTP job': {
    read: (text) => {
      for (const key of [
        'http.uri',
        'http.method',
        'http.data',
        'http.content.type',
        'http.connect.timeout.milliseconds',
      ]) {
        const configuration = aConfiguration({ props: { 'http.uri': 'http://a', [key]: text } });
        httpSettings(configuration);
        httpDoubts(configuration);
      }
    },
    starts: ['http://', 'http://a/', 'http://[', 'http://a:b@'],
  },
  'executors: what a script prints': { read: (text) => printed(text) },
  'error handlers: mail addresses, hosts, numbers and flags': {
    read: (text) => {
      const reader = new PropsReader({ a: text });
      return [
        reader.addresses('a'),
        reader.address('a'),
        reader.host('a'),
        reader.url('a'),
        reader.positive('a'),
        reader.flag('a', true),
      ];
    },
    starts: ['a@', '"', 'a <', 'http://'],
  },

  // Texts of peers, operators and strangers in the registry centre.
  ...readers({
    'layout: the name of a node': (text) => {
      const paths = new JobPaths('a');
      for (const below of ['', 'sharding/', 'servers/', 'instances/', 'x-node/fired/', 'x-node/guarantee/'])
        paths.parse(`/a/${below}${text}`);
    },
    'layout: the name of a job': (text) => new JobPaths(text).config,
  }),
  'layout: the text of each node': {
    read: (text) =>
      readJobView(
        new Map(NODES.map((path) => [path, { value: text, version: 0, revision: 1, session: undefined }])),
        'a',
      ),
    starts: ['0: ', 'manual: ', '{"items":"', 'parameter 1 "', '1/a started ', '1/a completed '],
  },
  'registry: a challenge of the server': {
    read: (text) => answerChallenge(Buffer.from(text), { username: 'a', password: 'b' }, 'nonce'),
    starts: ['nonce="a",', 'nonce="'],
  },

  // Texts of browsers and proxies to the console.
  'console: headers of proxies': {
    read: (text) =>
      new TrustedProxies(['loopback']).originOf({
        headers: { 'x-forwarded-for': text, 'x-forwarded-host': text, 'x-forwarded-proto': text, host: text },
        socket: { remoteAddress: '127.0.0.1' },
      } as never),
    starts: ['1.1.1.1,', '127.0.0.1,'],
  },
  'console: rules of addresses': { read: (text) => new AddressRules([text]), starts: ['[', '10.0.0.0/8:', 'a:'] },
};

/** Functions that are not called with hostile texts, and why not. */
export const NOT_CALLED: readonly (readonly [name: RegExp, why: string])[] = [
  [/password-hash\.ts (hash|verify)Password$/, 'a hash of a password takes long on purpose'],
  [/warnOfListenerError$/, 'prints its text'],
  [/^cli\/(terminal\/output|watch\/screen)\.ts/, 'prints its text'],
  [/\.controller\.ts /, 'takes its texts apart by requests.ts'],
  [/^(registry\/|console\/store\/)/, 'stores the text as it is'],
  [/^console\/security\/sessions\/(key-ring|sessions)\.ts/, 'hashes the text'],
  [/setCookie$|InvalidCronError\.new$|QuartzCron\.new$|JobConfigurationBuilder\./, 'keeps the text as it is'],
  [/job-configurations\.ts JobConfigurations\./, 'checks settings as jobConfiguration() does'],
  [
    /^(api\/settings\/(setting\.ts problemsInMap|dependency-options\.ts .*Problem)|.*call-options\.ts optionProblems)$/,
    'is a part of checkOptions() and mergeSettings()',
  ],
  [/secret-values\.ts hideNamed$/, 'is a part of withoutSecrets()'],
  [/console\/start\/environment\.ts withVariable$/, 'adds a name to a problem of the library'],
  [/describe-value\.ts withValue$/, 'is describeValue() with a problem of the library'],
  [/cron-steps\.ts refuseTooLongSteps$/, 'is a part of toQuartz()'],
  [/^layout\/(job-configuration-yaml\.ts keptFrom|yaml-(mapping|document)\.ts .*)$/, 'is a part of fromYaml()'],
  [/context-json\.ts escaped$/, 'takes a pattern of the library, and JSON of its own'],
  [/^tracing\/rdb\/(dialects\/merge|trace-rows)\.ts/, 'writes statements; their texts are cut by text-width.ts'],
];

function readers(read: Readonly<Record<string, Reader>>): Readonly<Record<string, KnownReader>> {
  return Object.fromEntries(Object.entries(read).map(([name, each]) => [name, { read: each }]));
}

const INSTANCE = '10.0.0.1@-@1';

/** One of each kind of node, except those whose texts are YAML: the readers of these are found. */
const NODES = [
  ...['', '/servers/10.0.0.1', '/leader/election/instance', '/sharding/0/instance'],
  ...[
    '/sharding/0/running',
    '/sharding/0/failover',
    '/sharding/0/misfire',
    '/next-job-instance-ip',
    `/trigger/${INSTANCE}`,
  ],
  ...[
    '/x-node/live',
    '/x-node/assigned-for',
    '/x-node/crashed/0',
    `/x-node/fired/${INSTANCE}`,
    `/x-node/live/${INSTANCE}`,
  ],
  ...['started', 'completed'].flatMap((stage) => [
    `/guarantee/${stage}/0`,
    `/x-node/guarantee/${stage}`,
    `/x-node/guarantee/${stage}-by`,
  ]),
  `/x-node/guarantee/present/${INSTANCE}`,
].map((below) => `/a${below}`);

function refuse(path: string): never {
  throw new Error(path.slice(0, 100));
}

async function printed(text: string): Promise<void> {
  const lines = new OutputLines(() => undefined);
  await lines.write(Buffer.from(text));
  lines.end();
}

async function parsedCommandLine(words: readonly string[]): Promise<void> {
  const program = createProgram(
    () => '',
    () => Promise.resolve(),
  );
  for (const command of [program, ...program.commands])
    command.exitOverride().configureOutput({ writeOut: () => undefined, writeErr: () => undefined });
  await program.parseAsync(words, { from: 'user' });
}
