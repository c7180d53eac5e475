import { legible } from '../../../api/text/describe-value.js';
import { withoutSecrets } from '../../../api/text/secrets.js';

/** One member of the cluster. */
export interface Endpoint {
  readonly host: string;
  readonly port: number;
  /** True if the client connects by TLS. */
  readonly isSecure: boolean;
  /** `host:port`, for messages. */
  readonly address: string;
}

const DEFAULT_PORT = 2379;

/** `http://`, `https://` or nothing; a host, or an IPv6 address in brackets; a port or none. */
const ENDPOINT = /^(?:(https?):\/\/)?(?:\[([0-9a-fA-F:.]+)\]|([^\s:/@[\]]+))(?::(\d{1,5}))?\/?$/;

/** Reads a list of endpoints that `endpointsProblem` has accepted. */
export function readEndpoints(text: string): readonly Endpoint[] {
  return split(text).flatMap((each) => readEndpoint(each) ?? []);
}

/**
 * Checks a list of endpoints.
 * @returns the problem, phrased as a requirement (`must be …`), or undefined
 */
export function endpointsProblem(text: unknown): string | undefined {
  const form = "a list like 'http://host1:2379,http://host2:2379'";
  if (typeof text !== 'string' || text.trim() === '') return `must be ${form}`;
  const each = split(text);
  const wrong = each.find((part) => readEndpoint(part) === undefined);
  if (wrong === '') return `must be ${form}, without empty parts between commas`;
  if (wrong !== undefined) return `must be ${form}, and '${legible(withoutSecrets(wrong))}' is no such endpoint`;
  const isMixed = new Set(readEndpoints(text).map(({ isSecure }) => isSecure)).size > 1;
  return isMixed ? 'must have https in all of its endpoints or in none' : undefined;
}

function split(text: string): readonly string[] {
  return text.split(',').map((each) => each.trim());
}

function readEndpoint(text: string): Endpoint | undefined {
  const [, scheme, ipv6, name, digits] = ENDPOINT.exec(text) ?? [];
  const host = ipv6 ?? name;
  const port = Number(digits ?? DEFAULT_PORT);
  if (host === undefined || port < 1 || port > 65_535) return undefined;
  return { host, port, isSecure: scheme === 'https', address: `${ipv6 === undefined ? host : `[${host}]`}:${port}` };
}
