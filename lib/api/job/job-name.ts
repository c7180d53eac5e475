import { describeValue } from '../text/describe-value.js';
import { type Wording, wording } from '../../wording/wording.js';
import { hasRefusedCharacters } from '../text/node-name.js';

/**
 * Checks the name of a job. It becomes a node of the registry centre, where Java peers read it, and stands in task ids
 * between `@-@`.
 * @returns the problem with the name, as a requirement (`must not begin or end with a space`), or undefined
 */
export function jobNameProblem(name: unknown): Wording | undefined {
  if (typeof name !== 'string' || name === '') return wording('not-empty');
  if (name !== name.trim()) return wording('name-blanks');
  if (name.includes('/')) return wording('name-slash');
  if (name.includes('@-@')) return wording('name-separator', { separator: '@-@' });
  if (name === '.' || name === '..' || name === '__proto__') return wording('name-special');
  return hasRefusedCharacters(name) ? wording('name-characters') : undefined;
}

/**
 * The key path of a job's settings: `elasticjob.jobs.syncOrders`, or `elasticjob.jobs["a/b"]` for names that need
 * quotes.
 */
export function jobPath(name: unknown): string {
  return typeof name === 'string' ? keyPath('elasticjob.jobs', name) : `elasticjob.jobs[${describeValue(name)}]`;
}

/** The key path of one of a job's properties: `elasticjob.jobs.syncOrders.props['email.host']`. */
export function propertyPath(jobName: string, property: string): string {
  return `${jobPath(jobName)}.props['${property}']`;
}

/** The path of a key below another: `elasticjob.enabled`, or `elasticjob["a b"]` for keys that need quotes. */
export function keyPath(path: string, key: string): string {
  const isPlain = /^[\p{L}\p{M}\p{N}_.-]{1,200}$/u.test(key) && !/^\.+$/.test(key);
  return isPlain ? `${path}.${key}` : `${path}[${describeValue(key)}]`;
}
