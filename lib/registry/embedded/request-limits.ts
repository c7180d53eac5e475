import { RegistryRefusedError } from '../../api/errors.js';
import { type Operation } from '../registry-center.js';

/** Largest request in bytes, as ZooKeeper's default `jute.maxbuffer` (0xfffff) allows. */
export const MAX_REQUEST_BYTES = 1_048_575;

/** What an operation takes on the wire besides its path and value. A commit of small operations is limited too. */
const OVERHEAD_BYTES = 40;

/** @throws RegistryRefusedError unless the path is `/` or `/a/b`, without empty, `.` or `..` parts and null characters */
export function demandPath(operation: string, path: string): void {
  if (path === '/') return;
  const [beforeSlash, ...names] = path.split('/');
  const isValid = beforeSlash === '' && names.length > 0 && names.every(isName) && !path.includes('\0');
  if (isValid) return;
  const rule = 'a path starts with a slash, does not end with one, and has no empty, "." or ".." part';
  throw new RegistryRefusedError(operation, JSON.stringify(path), rule);
}

/** @throws RegistryRefusedError if a path is no path, or all of it is larger than one request may be */
export function demandOperations(operation: string, path: string, operations: readonly Operation[]): void {
  let bytes = 0;
  for (const each of operations) {
    demandPath(operation, each.path);
    bytes += OVERHEAD_BYTES + Buffer.byteLength(each.path);
    if ('value' in each) bytes += Buffer.byteLength(each.value);
  }
  if (bytes <= MAX_REQUEST_BYTES) return;
  const reason = `the request has about ${bytes} bytes, the limit is ${MAX_REQUEST_BYTES}`;
  throw new RegistryRefusedError(operation, path, reason);
}

function isName(name: string): boolean {
  return name !== '' && name !== '.' && name !== '..';
}
