import { GRAPH_PROPERTIES } from './dependencies.js';
import { RUN_PROPERTIES } from './run-limits.js';

const ROBOT_KEYS = ['webhook', 'connectTimeoutMilliseconds', 'readTimeoutMilliseconds', 'digestIntervalMilliseconds'];

/** The properties that each reader of the library knows, below its prefix. */
const KEYS: Readonly<Record<string, readonly string[]>> = {
  streaming: ['process'],
  script: ['command.line'],
  http: [
    ...['uri', 'url', 'method', 'data', 'content.type', 'connect.timeout.milliseconds', 'read.timeout.milliseconds'],
    'failOnErrorStatus',
    'redirect.keepsRequest',
  ],
  email: [
    ...['host', 'port', 'username', 'password', 'useSsl', 'startTls', 'ssl.trust', 'from', 'to', 'cc', 'bcc'],
    ...['subject', 'debug'],
    'digestIntervalMilliseconds',
  ],
  wechat: ROBOT_KEYS,
  dingtalk: [...ROBOT_KEYS, 'keyword', 'secret'],
};

/** The keys of the properties with a prefix, such as `http`. */
export function keysBelow(prefix: string): readonly string[] {
  return (KEYS[prefix] ?? []).map((key) => `${prefix}.${key}`);
}

/** All properties that the library reads. Variables of the environment in capitals cannot spell them. */
export const PROPERTY_KEYS: readonly string[] = [
  ...RUN_PROPERTIES,
  ...GRAPH_PROPERTIES,
  ...Object.keys(KEYS).flatMap(keysBelow),
];
