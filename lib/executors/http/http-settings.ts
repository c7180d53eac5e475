import { validateHeaderValue } from 'node:http';
import { inEnglish } from '../../wording/wording.js';
import { describeValue } from '../../api/text/describe-value.js';
import { unknownKeyDoubts } from '../../api/settings/known-properties.js';
import { keysBelow } from '../../api/settings/property-keys.js';
import { type JobConfiguration } from '../../api/job/job-configuration.js';
import { type PropertyProblem } from '../../api/extensions/job-executor.js';

/** The settings in the properties of a job of the type HTTP. */
export interface HttpSettings {
  readonly url: URL;
  readonly method: string;
  /** If empty, no body is sent. */
  readonly data: string;
  /** If empty, the usual content type of the method. */
  readonly contentType: string;
  /** In milliseconds; 0 is no limit. */
  readonly connectTimeoutMs: number;
  /** The longest silence of the server, in milliseconds; 0 is no limit. */
  readonly readTimeoutMs: number;
  /** True if an answer with an error status fails the item; in Java it never does. */
  readonly failsOnErrorStatus: boolean;
  /** True if a redirect to another host carries the body and the sharding context there, as in Java. */
  readonly redirectsKeepRequest: boolean;
}

/** The methods that Java accepts. */
const METHODS = ['GET', 'POST', 'HEAD', 'OPTIONS', 'PUT', 'DELETE', 'TRACE'];
const METHODS_WITH_BODY = ['POST', 'PUT', 'DELETE'];
const GREATEST_PORT = 65_535;
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

/** Reads the settings from the properties, with all problems; the settings are valid only if there are none. */
export function httpSettings({ props }: JobConfiguration): {
  readonly settings: HttpSettings;
  readonly problems: readonly PropertyProblem[];
} {
  const problems: PropertyProblem[] = [];
  const text = (property: string, problemOf: (value: string) => string | undefined): string => {
    const value = props[property] ?? '';
    const problem = problemOf(value);
    if (problem !== undefined)
      problems.push({ property, problem: `${problem}, got ${value === '' ? 'nothing' : describeValue(value)}` });
    return value;
  };
  // An address may hold a password, so a wrong one is not shown.
  const address = uriOf(props);
  const problem = addressProblem(address.value);
  if (problem !== undefined) problems.push({ property: address.property, problem });
  const method = text('http.method', methodProblem);
  const settings = {
    url: problem === undefined ? new URL(address.value) : NOWHERE,
    method,
    data: METHODS_WITH_BODY.includes(method) ? (props['http.data'] ?? '') : '',
    contentType: text('http.content.type', contentTypeProblem),
    connectTimeoutMs: Number(text('http.connect.timeout.milliseconds', timeoutProblem) || 3_000),
    readTimeoutMs: Number(text('http.read.timeout.milliseconds', timeoutProblem) || 5_000),
    failsOnErrorStatus: text('http.failOnErrorStatus', flagProblem).toLowerCase() === 'true',
    redirectsKeepRequest: text('http.redirect.keepsRequest', flagProblem).toLowerCase() === 'true',
  };
  return { settings, problems };
}

/** Properties that are allowed, but probably not intended. */
export function httpDoubts({ props }: JobConfiguration): readonly string[] {
  const [uri = '', url = ''] = [props['http.uri'], props['http.url']];
  const { 'http.method': method = '', 'http.data': data = '', 'http.content.type': contentType = '' } = props;
  const doubts: readonly (readonly [isConcerned: boolean, doubt: string])[] = [
    [
      uri !== '' && url !== '' && uri !== url,
      'the properties http.uri and http.url have different addresses; http.uri holds, and http.url has no effect',
    ],
    [
      data !== '' && METHODS.includes(method) && !METHODS_WITH_BODY.includes(method),
      `the property http.data has no effect with the method ${method}: only ${METHODS_WITH_BODY.join(', ')} send a body`,
    ],
    [
      contentType !== '' && !/^[^\s/;]+\/[^\s/;]+\s*(?:;|$)/.test(contentType),
      `the property http.content.type is ${describeValue(contentType)}, which is no media type such as application/json`,
    ],
  ];
  return [
    ...unknownKeyDoubts(props, keysBelow('http'), 'HTTP jobs').map(inEnglish),
    ...doubts.flatMap(([isConcerned, doubt]) => (isConcerned ? [doubt] : [])),
  ];
}

const NOWHERE = new URL('http://localhost');

/** The property `http.uri`, or `http.url`, as Java's manual wrongly calls it. */
function uriOf(props: JobConfiguration['props']): { readonly property: string; readonly value: string } {
  const isAlias = (props['http.uri'] ?? '') === '' && props['http.url'] !== undefined;
  const property = isAlias ? 'http.url' : 'http.uri';
  return { property, value: props[property] ?? '' };
}

function addressProblem(value: string): string | undefined {
  if (value === '')
    return 'Cannot find HTTP URL, job is not executed: must be an address such as "https://example.com/jobs/sync", got nothing';
  const { protocol } = URL.canParse(value) ? new URL(value) : { protocol: '' };
  if (protocol === 'http:' || protocol === 'https:') return undefined;
  const [, authority] = /^https?:\/\/([^/?#]*)/i.exec(value) ?? [];
  if (authority !== undefined) return authorityProblem(authority);
  return 'must be an absolute address that begins with http:// or https://; this one is not shown, as it may hold a password';
}

/** @param authority user, password, host and port of an address that cannot be read */
function authorityProblem(authority: string): string {
  const [, host = '', port] = /^([^]*?)(?::(\d*))?$/.exec(authority.slice(authority.lastIndexOf('@') + 1)) ?? [];
  if (port !== undefined && Number(port) > GREATEST_PORT)
    return `must have a port from 1 to ${GREATEST_PORT}, and has the port ${port}; the rest is not shown`;
  return host === ''
    ? 'must have a host after http:// or https://, and has none; the rest is not shown'
    : 'must be an address such as "https://example.com/jobs/sync", and has a host or port that cannot be read; it is not shown';
}

function methodProblem(value: string): string | undefined {
  if (METHODS.includes(value)) return undefined;
  const missing = value === '' ? 'Cannot find HTTP method, job is not executed: ' : '';
  return `${missing}must be one of ${METHODS.join(', ')}, in capital letters`;
}

function contentTypeProblem(value: string): string | undefined {
  try {
    validateHeaderValue('Content-Type', value);
    return undefined;
  } catch {
    return 'must be a media type such as application/json';
  }
}

function timeoutProblem(value: string): string | undefined {
  const isTimeout = value === '' || (/^\d{1,10}$/.test(value) && Number(value) <= LONGEST_TIMEOUT_MS);
  return isTimeout ? undefined : 'must be a number of milliseconds, 0 for no limit';
}

function flagProblem(value: string): string | undefined {
  return ['', 'true', 'false'].includes(value.toLowerCase()) ? undefined : 'must be true or false';
}
