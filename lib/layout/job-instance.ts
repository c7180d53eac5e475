import { randomBytes } from 'node:crypto';
import { type NetworkInterfaceInfo, networkInterfaces } from 'node:os';
import { pid } from 'node:process';

import { describeValue } from '../api/text/describe-value.js';
import { InvalidConfigurationError } from '../api/errors/errors.js';
import { type JobInstance } from '../api/extensions/sharding-strategy.js';
import { YamlMapping } from './yaml-mapping.js';
import { yamlEntry } from './yaml-writer.js';

/** Preferences for the address of an instance. */
export interface JobInstanceOptions {
  /**
   * Name of the preferred network interface; ignored if there is none of that name. Java:
   * `elasticjob.preferred.network.interface`.
   */
  readonly preferredNetworkInterface?: string | undefined;
  /** Start of the preferred address, or a regular expression for all of it. Java: `elasticjob.preferred.network.ip`. */
  readonly preferredNetworkIp?: string | undefined;
  /** The machine's network interfaces. Default: those of `os.networkInterfaces()`. */
  readonly interfaces?: Readonly<Record<string, readonly NetworkInterfaceInfo[] | undefined>>;
}

/** A registered instance, as its node describes it. */
export interface RegisteredInstance extends JobInstance {
  /** A field of Java's instances that Java 3.0 never sets. */
  readonly labels?: string;
}

/**
 * A new instance in this process: `10.0.0.1@-@4711-k3j9x2ab`. Unlike Java's ids, the id is unique among all processes,
 * even among containers with the same ip and pid. Java accepts it, as it does not parse the text after `@-@`.
 * @throws InvalidConfigurationError if no address of this machine matches `preferredNetworkIp`
 */
export function createJobInstance(options: JobInstanceOptions = {}): JobInstance {
  const serverIp = localIp(options);
  const unique = BigInt(`0x${randomBytes(8).toString('hex')}`)
    .toString(36)
    .slice(-8)
    .padStart(8, '0');
  return jobInstanceOn(serverIp, `${pid}-${unique}`);
}

/** @param process distinguishes the instance from others of its server; it contains no slash */
export function jobInstanceOn(serverIp: string, process: string): JobInstance {
  return { jobInstanceId: `${serverIp}${DELIMITER}${process}`, serverIp };
}

/** @returns the consequence if the instance's machine has no address of its own, or undefined if it has one */
export function addressProblem({ serverIp }: JobInstance): string | undefined {
  return serverIp !== NO_ADDRESS
    ? undefined
    : `No network interface of this machine has an address that others can reach, so this server is registered as ${NO_ADDRESS}, like ` +
        'every other machine without one: an operator who disables one of them disables all. Start the application ' +
        'when the network is up.';
}

/** The ip in an instance's id: the text before `@-@`. */
export function ipOfInstanceId(id: string): string {
  return id.split(DELIMITER, 1).join('');
}

/**
 * The value of the instance's node, as Java writes it. Java refuses other keys, and takes its own ip for a missing one.
 */
export function instanceYaml(instance: JobInstance): string {
  const known = yamlByInstance.get(instance);
  if (known !== undefined) return known;
  const { jobInstanceId, serverIp } = instance;
  const yaml = yamlEntry('jobInstanceId', jobInstanceId) + yamlEntry('serverIp', serverIp);
  yamlByInstance.set(instance, yaml);
  return yaml;
}

/** All jobs of an instance share one text. */
const yamlByInstance = new WeakMap<JobInstance, string>();

/**
 * Parses the value of an instance's node. `undefined` if the value does not describe an instance: it is empty before
 * Java 3.0, and operators may overwrite it with `TRIGGER`.
 */
export function parseInstanceYaml(text: string): RegisteredInstance | undefined {
  const [, id, ip] = PLAIN_INSTANCE.exec(text) ?? [];
  if (id !== undefined && ip !== undefined) return { jobInstanceId: id, serverIp: ip };
  const yaml = new YamlMapping(text);
  const jobInstanceId = yaml.text('jobInstanceId');
  const serverIp = yaml.text('serverIp');
  const labels = yaml.text('labels');
  if (!jobInstanceId || !serverIp) return undefined;
  return labels === undefined ? { jobInstanceId, serverIp } : { jobInstanceId, serverIp, labels };
}

/**
 * Chooses the address as Java does: IPv4, never loopback, of the preferred interface, otherwise of the first interface
 * that has such an address (Java lists them in reverse order and takes the last). Java knows no IPv6; here, an IPv6
 * address is chosen if there is no IPv4 one, or if it is the preferred one.
 */
function localIp({
  preferredNetworkInterface,
  preferredNetworkIp,
  interfaces = networkInterfaces(),
}: JobInstanceOptions): string {
  const candidates = Object.entries(interfaces).flatMap(([name, infos = []]) => {
    // `eth0:1` is another name for some of the addresses of `eth0`.
    const usable = name.includes(':') ? [] : infos.filter(isUsable);
    return usable.length === 0 ? [] : [{ name, infos: usable }];
  });
  const preferred = candidates.filter(({ name }) => name === preferredNetworkInterface);
  if (preferredNetworkInterface && preferred.length === 0) {
    throw new InvalidConfigurationError([
      'elasticjob.preferredNetworkInterface: must be a network interface of this machine with an address that others can reach, ' +
        `got ${describeValue(preferredNetworkInterface)}; there are: ${candidates.map(({ name }) => name).join(', ') || 'none'}`,
    ]);
  }
  const infos = (preferred.length > 0 ? preferred : candidates).flatMap((candidate) => candidate.infos);
  const addresses = ['IPv4', 'IPv6'].flatMap((version) =>
    infos.filter(({ family }) => family === version).map(({ address }) => address),
  );
  if (!preferredNetworkIp) return addresses[0] ?? NO_ADDRESS;
  const found = addresses.find(
    (address) => address.startsWith(preferredNetworkIp.toLowerCase()) || matches(address, preferredNetworkIp),
  );
  if (found !== undefined) return found;
  throw new InvalidConfigurationError([
    `elasticjob.preferredNetworkIp: must be the start of an address of this machine, or a regular expression for one, ` +
      `got ${describeValue(preferredNetworkIp)}; addresses are ${addresses.join(', ') || 'none'}`,
  ]);
}

/**
 * True if other machines may know this machine by the address. A link-local one is valid on one link only, and on many
 * machines at once.
 */
function isUsable({ family, internal, address }: NetworkInterfaceInfo): boolean {
  return !internal && (family === 'IPv4' || !LINK_LOCAL.test(address));
}

const LINK_LOCAL = /^fe[89ab]/i;

function matches(address: string, pattern: string): boolean {
  try {
    return new RegExp(`^(?:${pattern})$`, 'i').test(address);
  } catch (cause) {
    throw new InvalidConfigurationError(
      [`elasticjob.preferredNetworkIp: must be a regular expression, got ${describeValue(pattern)}`],
      {
        cause,
      },
    );
  }
}

const DELIMITER = '@-@';

/**
 * The address of an instance on a machine that has none but loopback and link-local ones. Java does not start there.
 */
const NO_ADDRESS = '127.0.0.1';

/**
 * The text that instances without labels write, Java's and ours. A YAML parser takes a hundred times longer to read it.
 */
const PLAIN_INSTANCE = /^jobInstanceId: ([\da-f.:]+@-@[\w-]+)\nserverIp: ([\da-f.:]*[\da-f])\n$/;
