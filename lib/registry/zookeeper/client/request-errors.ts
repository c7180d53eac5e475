import { type TransportState, ZooKeeperError } from '../transport.js';
import { ErrorCode } from './error-codes.js';

/** Longest message that a server with default settings takes (`jute.maxbuffer`), in bytes. */
export const LARGEST_REQUEST_BYTES = 1_048_575;

/** The error of a request that was not sent, since there is no connection in this state. */
export function unasked(state: TransportState, verb: string, path: string): ZooKeeperError {
  return failure(state, `Could not ${verb} ${path}`, { written: false });
}

/** The error of a request whose connection ended before the answer. `written`: it may have reached the server. */
export function abandoned(
  state: TransportState,
  verb: string,
  path: string,
  fate: { readonly written: boolean },
): ZooKeeperError {
  return failure(state, `The connection to ZooKeeper broke while trying to ${verb} ${path}`, fate);
}

/** The error of a request that was not sent, since the server would drop the connection. `size` in bytes. */
export function tooLarge(verb: string, path: string, size: number): ZooKeeperError {
  return new ZooKeeperError(
    'TOO_LARGE',
    ErrorCode.marshalling,
    `Could not ${verb} ${path}: the request has ${size} bytes, and a server drops the connection at more than ` +
      `${LARGEST_REQUEST_BYTES} (jute.maxbuffer). Nothing was changed.`,
  );
}

/** The state shows why the server does not answer. */
function failure(state: TransportState, what: string, { written }: { readonly written: boolean }): ZooKeeperError {
  const fate = written ? 'The server may have done it or not.' : 'Nothing was changed.';
  switch (state.phase) {
    case 'connecting':
    case 'connected':
    case 'disconnected':
      return new ZooKeeperError(
        'CONNECTION_LOSS',
        ErrorCode.connectionLoss,
        `${what}: not connected to ZooKeeper. ${fate}`,
        written,
      );
    case 'expired':
    case 'closed': {
      const end = state.phase === 'expired' ? 'expired' : 'been closed';
      return new ZooKeeperError(
        'SESSION_EXPIRED',
        ErrorCode.sessionExpired,
        `${what}: the session has ${end}. ${fate}`,
        written,
      );
    }
    case 'auth-failed':
      return new ZooKeeperError('AUTH_FAILED', ErrorCode.authFailed, `${what}: ${state.reason} ${fate}`, written);
    default:
      return state satisfies never;
  }
}
