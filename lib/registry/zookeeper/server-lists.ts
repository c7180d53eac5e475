import { type Wording, wording } from '../../wording/wording.js';
import { legible } from '../../api/text/describe-value.js';
import { type ServerAddress } from './client/server-list.js';
import { namespaceProblem } from './namespace.js';

const DEFAULT_PORT = 2181;

/** A list of servers, as `serverLists` has it. */
export interface ServerLists {
  readonly servers: readonly ServerAddress[];
  /** Empty, or begins with a slash and does not end with one. */
  readonly chroot: string;
}

/** Reads a list of servers that `serverListsProblem` has accepted. */
export function readServerLists(text: string): ServerLists {
  const { servers, chroot } = split(text);
  return { servers: servers.map(toAddress), chroot };
}

/**
 * Checks a list of servers: `host:port,…`, with or without a `/path` at the end.
 * @returns the problem, phrased as a requirement (`must be …`), or undefined
 */
export function serverListsProblem(text: unknown): Wording | undefined {
  if (typeof text !== 'string') return wording('servers');
  const { list, servers, chroot } = split(text);
  const wrong = servers.find((server) => !isServer(server));
  if (wrong !== undefined) return unlike(wrong, list);
  if (chroot === '') return undefined;
  if (chroot.includes(',')) return wording('servers-path-once');
  if (chroot.endsWith('/')) return wording('servers-path-slash');
  if (namespaceProblem(chroot.slice(1)) === undefined) return undefined;
  return wording('servers-path');
}

/** A path that is a slash alone is none, as in Java. */
function split(text: string): { readonly list: string; readonly servers: readonly string[]; readonly chroot: string } {
  const slash = text.indexOf('/');
  const list = slash < 0 ? text : text.slice(0, slash);
  const path = slash < 0 ? '' : text.slice(slash).trim();
  return { list, servers: list.split(',').map((server) => server.trim()), chroot: path === '/' ? '' : path };
}

/** A host, or an IPv6 address in brackets; each with a port or without. */
// eslint-disable-next-line no-control-regex
const SERVER = /^(?:\[([0-9a-fA-F:.]+(?:%\w+)?)\]|([^\s\u0000-\u001f\u007f:/@[\]]+))(?::(\d{1,5}))?$/;

function isServer(text: string): boolean {
  const { host, port } = toAddress(text);
  return host !== '' && port >= 1 && port <= 65_535;
}

/** An empty host if the text is no address. */
function toAddress(text: string): ServerAddress {
  const match = SERVER.exec(text);
  return { host: match?.[1] ?? match?.[2] ?? '', port: Number(match?.[3] ?? DEFAULT_PORT) };
}

function unlike(server: string, list: string): Wording {
  if (server === '') return list.includes(',') ? wording('servers-commas') : wording('servers');
  const isIpv6 = (server.match(/:/g) ?? []).length > 1;
  return wording(isIpv6 ? 'servers-ipv6' : 'servers-wrong', { server: legible(server) });
}
