import { describeValue } from '../text/describe-value.js';
import { hasRefusedCharacters } from '../text/node-name.js';

/**
 * Checks the name of a job. It becomes a node of the registry centre, where Java peers read it, and stands in task ids
 * between `@-@`.
 * @returns the problem with the name, as a requirement (`must not begin or end with a space`), or undefined
 */
export function jobNameProblem(name: unknown): string | undefined {
  if (typeof name !== 'string' || name === '') return 'must be a text that is not empty';
  if (name !== name.trim()) return 'must not begin or end with a space';
  if (name.includes('/')) return "must not contain '/', as it names a node of the registry centre";
  if (name.includes('@-@')) return "must not contain '@-@', which separates the parts of task ids";
  if (name === '.' || name === '..' || name === '__proto__')
    return 'must be another name, as this one has a special meaning';
  return hasRefusedCharacters(name)
    ? 'must not contain control characters, emoji or other characters that ZooKeeper refuses in names'
    : undefined;
}

/** The key path of a job's settings: `elasticjob.jobs.syncOrders`, or `elasticjob.jobs["a/b"]` for names that need quotes. */
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
