import { validateHeaderValue } from 'node:http';
import { describeValue } from '../../api/text/describe-value.js';
import { type JobConfiguration } from '../../api/job/job-configuration.js';
import { type PropertyProblem } from '../../api/extensions/job-executor.js';

/** What the properties of a job of the type HTTP say. */
export interface HttpSettings {
  readonly url: URL;
  readonly method: string;
  /** Empty: no body is sent. */
  readonly data: string;
  /** Empty: what is usual for the method. */
  readonly contentType: string;
  /** In milliseconds; 0: no limit. */
  readonly connectTimeoutMs: number;
  /** The longest silence of the server, in milliseconds; 0: no limit. */
  readonly readTimeoutMs: number;
  /** Whether an answer with an error status fails the item; in Java it never does. */
  readonly failsOnErrorStatus: boolean;
}

/** The methods that Java accepts. */
const METHODS = ['GET', 'POST', 'HEAD', 'OPTIONS', 'PUT', 'DELETE', 'TRACE'];
const METHODS_WITH_BODY = ['POST', 'PUT', 'DELETE'];
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

/** The settings that properties stand for, and all problems with them; the settings hold only if there are none. */
export function httpSettings({ props }: JobConfiguration): {
  readonly settings: HttpSettings;
  readonly problems: readonly PropertyProblem[];
} {
  const problems: PropertyProblem[] = [];
  const text = (property: string, problemOf: (value: string) => string | undefined): string => {
    const value = props[property] ?? '';
    const problem = problemOf(value);
    if (problem !== undefined)
      problems.push({ property, problem: `${problem}, got ${describeValue(props[property])}` });
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
  };
  return { settings, problems };
}

const NOWHERE = new URL('http://localhost');

/** `http.url` is how Java's manual wrongly called the property. */
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
  return 'must be an absolute address that begins with http:// or https://, and is another one that is not shown';
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
