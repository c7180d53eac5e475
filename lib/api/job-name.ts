import { describeValue } from './describe-value.js';
import { hasRefusedCharacters } from './node-name.js';

/**
 * What is wrong with a job's name, said as what it must be, or `undefined` if nothing is. The name becomes a node of the
 * registry centre, where Java peers read it: ZooKeeper's rules for paths hold. It also stands in task ids, between `@-@`.
 */
export function demandOnJobName(name: unknown): string | undefined {
  if (typeof name !== 'string' || name === '') return 'must be a text that is not empty';
  if (name !== name.trim()) return 'must not begin or end with a space';
  if (name.includes('/')) return "must not contain '/', as it names a node of the registry centre";
  if (name.includes('@-@')) return "must not contain '@-@', which separates the parts of task ids";
  if (name === '.' || name === '..' || name === '__proto__')
    return 'must be another name, as this one has a special meaning';
  if (hasRefusedCharacters(name)) {
    return 'must not contain control characters, emoji or other characters that ZooKeeper refuses in names';
  }
  return undefined;
}

/** The key path of a job's settings: `elasticjob.jobs.syncOrders`, or `elasticjob.jobs["a/b"]` for odd names, and for what is none. */
export function jobPath(name: unknown): string {
  return typeof name === 'string' ? keyPath('elasticjob.jobs', name) : `elasticjob.jobs[${describeValue(name)}]`;
}

/** The path of a key below another: `elasticjob.enabled`, or `elasticjob["a b"]` for odd keys. */
export function keyPath(path: string, key: string): string {
  const isPlain = /^[\p{L}\p{M}\p{N}_.-]{1,200}$/u.test(key) && !/^\.+$/.test(key);
  return isPlain ? `${path}.${key}` : `${path}[${describeValue(key)}]`;
}
