import {
  type ElasticJobError,
  RegistryCredentialsError,
  RegistryRefusedError,
  RegistryUnavailableError,
} from '../../api/errors/errors.js';
import { EtcdError } from './client/etcd-error.js';

/** The operation and the path of a call, for messages. */
export interface CallSubject {
  /** A verb: `create`, `read`. */
  readonly operation: string;
  /** Path within the namespace, or several. */
  readonly path: string;
}

/** Answers that say what to do, by a part of their text. */
const CURES: readonly (readonly [part: string, reason: string])[] = [
  [
    'too many operations in txn request',
    'the servers accept fewer operations in one transaction than regCenter.maxTxnOps says. Set maxTxnOps to the ' +
      "servers' --max-txn-ops (128 unless it is given), or start them with a greater one",
  ],
  [
    'request is too large',
    'the request is larger than the servers accept: start them with --max-request-bytes=1572864, their default, or more',
  ],
  [
    'database space exceeded',
    'the database of etcd is full (--quota-backend-bytes): compact and defragment it, then disarm the alarm ' +
      '(etcdctl alarm disarm)',
  ],
];

/** True if the same request may succeed in a moment: there was no answer, or the server has too much to do. */
export function isPassing(error: unknown): boolean {
  return error instanceof EtcdError && (!error.isAnswer || error.details.includes('too many requests'));
}

/** The settings to check if etcd refuses this client. */
export const CREDENTIAL_SETTINGS =
  'regCenter.username, regCenter.password and regCenter.tls, and the roles of the user';

/** The library's error for one of etcd's that no code handles: a refusal, or no answer. Others stay as they are. */
export function translated({ operation, path }: CallSubject, error: unknown): unknown {
  return error instanceof EtcdError ? translation(operation, path, error) : error;
}

function translation(operation: string, path: string, error: EtcdError): ElasticJobError {
  if (isPassing(error)) return new RegistryUnavailableError(operation, path, error);
  const details = error.details.replace(/^etcdserver: /, '').replace(/\.$/, '');
  if (error.isAboutCredentials || error.isTokenStale)
    return new RegistryCredentialsError(
      `could not ${operation} ${path}, as etcd says: ${details}`,
      error,
      CREDENTIAL_SETTINGS,
    );
  const cure = CURES.find(([part]) => error.details.includes(part))?.[1];
  return new RegistryRefusedError(operation, path, cure ?? `etcd says: ${details}`, error);
}
