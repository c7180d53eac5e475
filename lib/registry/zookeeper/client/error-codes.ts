import { ZooKeeperError, type ZooKeeperErrorName } from '../transport.js';

/** Error numbers that this client uses by name. */
export const ErrorCode = {
  ok: 0,
  runtimeInconsistency: -2,
  connectionLoss: -4,
  marshalling: -5,
  badArguments: -8,
  noNode: -101,
  sessionExpired: -112,
  authFailed: -115,
  noWatcher: -121,
  sessionClosedRequiresSaslAuth: -124,
} as const;

const CODES = new Map<number, readonly [ZooKeeperErrorName, string]>([
  [-4, ['CONNECTION_LOSS', 'the connection was lost']],
  [-6, ['UNIMPLEMENTED', 'the server does not know this request; version 3.6 or later is needed']],
  [-7, ['OPERATION_TIMEOUT', 'the server could not finish in time']],
  [-101, ['NO_NODE', 'there is no such node']],
  [-102, ['NO_AUTH', "the node's access rules forbid it; is `digest` the one with which it was created?"]],
  [-103, ['BAD_VERSION', 'the node has another version']],
  [-108, ['NO_CHILDREN_FOR_EPHEMERALS', 'its parent is ephemeral and cannot have children']],
  [-110, ['NODE_EXISTS', 'the node exists already']],
  [-111, ['NOT_EMPTY', 'the node has children']],
  [-112, ['SESSION_EXPIRED', 'the session has ended']],
  [-114, ['INVALID_ACL', 'the server refuses the access rules; did authentication succeed?']],
  [-115, ['AUTH_FAILED', 'the server refused the credentials']],
  [-118, ['SESSION_MOVED', 'the session has moved to another server']],
  [-124, ['AUTH_FAILED', 'the server requires authentication by SASL']],
  [-125, ['QUOTA_EXCEEDED', 'a quota is exceeded']],
  [-127, ['THROTTLED', 'the server is overloaded and did not try']],
]);

/** Name and meaning of a server's error number. Unknown numbers are `OTHER`. */
function describeError(code: number): { readonly errorName: ZooKeeperErrorName; readonly meaning: string } {
  const [errorName, meaning] = CODES.get(code) ?? ['OTHER', 'the server reported an error'];
  return { errorName, meaning };
}

/** The error if a server refuses to `verb` `path`. `failedIndex` is the part of a transaction that was refused. */
export function refusal(code: number, verb: string, path: string, failedIndex?: number): ZooKeeperError {
  const { errorName, meaning } = describeError(code);
  const part = failedIndex === undefined ? '' : `, operation ${failedIndex} of a transaction`;
  const message = `Could not ${verb} ${path}${part}: ${meaning} (ZooKeeper error ${code}).`;
  return new ZooKeeperError(errorName, code, message, false, failedIndex);
}
