import {
  type ElasticJobError,
  RegistryCredentialsError,
  RegistryRefusedError,
  RegistryUnavailableError,
} from '../../api/errors/errors.js';
import { ZooKeeperError, type ZooKeeperErrorName } from './transport.js';

/** True if an error is a ZooKeeper error with one of these names. */
export function isAnswer(error: unknown, ...names: readonly ZooKeeperErrorName[]): error is ZooKeeperError {
  return error instanceof ZooKeeperError && names.includes(error.errorName);
}

/** True if the request had no effect, and may succeed if the same request is made again. */
export function isRetryable(error: ZooKeeperError): boolean {
  return RETRYABLE.has(error.errorName);
}

const RETRYABLE: ReadonlySet<ZooKeeperErrorName> = new Set<ZooKeeperErrorName>([
  'CONNECTION_LOSS',
  'OPERATION_TIMEOUT',
  'SESSION_EXPIRED',
  'SESSION_MOVED',
  'THROTTLED',
]);

/**
 * The library's error for a ZooKeeper error that no code handles: a refusal, or no answer. Other errors stay as they
 * are.
 */
export function translated(operation: string, path: string, error: unknown): unknown {
  if (!(error instanceof ZooKeeperError)) return error;
  if (isRetryable(error)) return new RegistryUnavailableError(operation, path, error);
  return refused(operation, path, error);
}

function refused(operation: string, path: string, error: ZooKeeperError): ElasticJobError {
  const { errorName, message } = error;
  const reason = REASONS[errorName] ?? message.replace(/\.$/, '');
  if (errorName === 'NO_AUTH' || errorName === 'AUTH_FAILED')
    return new RegistryCredentialsError(`could not ${operation} ${path}, as ${reason}`, error);
  return new RegistryRefusedError(operation, path, reason, error);
}

const REASONS: Readonly<Partial<Record<ZooKeeperErrorName, string>>> = {
  NO_AUTH: 'the node belongs to other credentials',
  AUTH_FAILED: 'authentication failed',
  INVALID_ACL: 'the server does not accept the access rules; is the digest scheme enabled there?',
  NO_CHILDREN_FOR_EPHEMERALS: 'its parent lives with a session, and such nodes cannot have children',
  TOO_LARGE: 'it is larger than the server accepts (jute.maxbuffer, about one megabyte)',
  QUOTA_EXCEEDED: 'a quota of the server is exceeded',
  UNIMPLEMENTED: 'the server does not know this request; ZooKeeper 3.6 or later is needed',
};
