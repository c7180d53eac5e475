import { legible } from '../../api/text/describe-value.js';
import { type ServerAddress } from './client/server-list.js';
import { namespaceProblem } from './namespace.js';

const DEFAULT_PORT = 2181;
const SERVERS = "must be servers like 'host1:2181,host2:2181'";

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
export function serverListsProblem(text: unknown): string | undefined {
  if (typeof text !== 'string') return SERVERS;
  const { list, servers, chroot } = split(text);
  const wrong = servers.find((server) => !isServer(server));
  if (wrong !== undefined) return SERVERS + complaint(wrong, list);
  if (chroot === '') return undefined;
  if (chroot.includes(','))
    return "must have the path once, after the last server, for all of them: 'host1:2181,host2:2181/team'";
  if (chroot.endsWith('/')) return 'must not have a slash at its end';
  if (namespaceProblem(chroot.slice(1)) === undefined) return undefined;
  return "must end with a path such as '/team', without empty or odd names in it, if with any";
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

function complaint(server: string, list: string): string {
  if (server === '') return list.includes(',') ? ', without commas that separate nothing' : '';
  const hint = (server.match(/:/g) ?? []).length > 1 ? "; an IPv6 address stands in brackets: '[::1]:2181'" : '';
  return `, which '${legible(server)}' is not${hint}`;
}
