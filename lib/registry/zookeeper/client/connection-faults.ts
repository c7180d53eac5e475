import { type ConnectionFault } from '../transport.js';

/** Kind of failure to connect to a server. */
export type FaultKind =
  'refused' | 'unknown-host' | 'unroutable' | 'tls' | 'foreign' | 'silent' | 'hung-up' | 'dropped' | 'other';

/** Words for a fault: `problem` is the server's behaviour, `cure` is the advice. */
type Wording = Pick<ConnectionFault, 'problem' | 'cure'>;

const WORDINGS: Readonly<Record<FaultKind, Wording>> = {
  refused: {
    problem: 'refuses connections',
    cure: 'Check serverLists, and that a ZooKeeper listens there.',
  },
  'unknown-host': {
    problem: 'has a host name that cannot be resolved',
    cure: 'Check the host name in serverLists, and the DNS.',
  },
  unroutable: {
    problem: 'cannot be reached through the network',
    cure: 'Check serverLists, the network and its firewalls.',
  },
  tls: {
    problem: 'does not complete the TLS handshake',
    cure: 'Check that its port is a TLS port, and the certificates on both sides.',
  },
  foreign: {
    problem: 'answers, but is no ZooKeeper',
    cure: 'Check host and port in serverLists, and that the port is the one for clients, which is usually 2181.',
  },
  silent: {
    problem: 'accepts connections, but does not answer',
    cure: 'Check that a ZooKeeper listens there, that it is not overloaded, and that its port is not a TLS port.',
  },
  'hung-up': {
    problem: 'closes connections without an answer',
    cure: 'Check that a ZooKeeper listens there, that its ensemble has a quorum, and its maxClientCnxns.',
  },
  dropped: {
    problem: 'breaks connections off',
    cure: 'Check the network, and that a ZooKeeper listens there.',
  },
  other: {
    problem: 'cannot be used',
    cure: 'Check serverLists, and the log of that server.',
  },
};

const KINDS: Readonly<Partial<Record<string, FaultKind>>> = {
  ECONNREFUSED: 'refused',
  ENOTFOUND: 'unknown-host',
  EAI_AGAIN: 'unknown-host',
  EHOSTUNREACH: 'unroutable',
  ENETUNREACH: 'unroutable',
  EADDRNOTAVAIL: 'unroutable',
  ETIMEDOUT: 'unroutable',
};

/** The kind of an error that a socket reports before the server has answered. */
export function faultKindOf(error: Error, protocol: 'tcp' | 'tls'): FaultKind {
  // If a host has several addresses, the error for all of them has the code of the first one.
  const kind = KINDS[(error as NodeJS.ErrnoException).code ?? ''];
  return kind ?? (protocol === 'tls' ? 'tls' : 'dropped');
}

/** Words a fault. `server`: `host:port`; `detail`: the message of the operating system or of the client. */
export function connectionFault(kind: FaultKind, server: string, detail: string): ConnectionFault {
  return { server, detail: detail.replace(/\s+/g, ' ').replace(/(?<![ .])[ .]+$/, ''), ...WORDINGS[kind] };
}
