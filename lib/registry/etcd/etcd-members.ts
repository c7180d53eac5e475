import { type Clock } from '../../time/clock.js';
import { type Endpoint, endpointsProblem, readEndpoints } from './client/endpoints.js';
import { EtcdClient } from './client/etcd-client.js';
import { connectionProblem } from './client/etcd-error.js';
import { loadGrpc } from './client/grpc.js';
import { type Member } from './client/messages.js';
import { type EtcdSettings } from './etcd-configuration.js';

/** The members that have answered, and those that have not. */
export interface AskedMembers {
  /** Version by the name of the member. */
  readonly versions: ReadonlyMap<string, string>;
  /** Configured endpoints without an answer, with the name of the member: `m2 at 10.0.0.2:2379 (ECONNREFUSED)`. */
  readonly silent: readonly string[];
  /** Members that are at no configured endpoint and do not answer where they say that they are, as sentences. */
  readonly unheard: readonly string[];
}

interface Answer {
  readonly address: string;
  /** The member that has answered, and its version; `undefined` if none has. */
  readonly heard: { readonly memberId: string; readonly version: string } | undefined;
  readonly problem: string;
}

/**
 * Asks each member for its version: at the configured endpoints, and at the addresses that the members advertise. Those
 * are another party's word: they get neither user nor password, and are not asked by http if the endpoints have https.
 * @param clusterId the cluster's id: who is of another one, as at `localhost` of this machine, is no answer
 */
export async function askMembers(
  members: readonly Member[],
  clusterId: string,
  settings: EtcdSettings,
  clock: Clock,
): Promise<AskedMembers> {
  const configured = new Set(settings.endpoints.map(({ address }) => address));
  const advertised = new Map(members.flatMap(addressesOf).map((endpoint) => [endpoint.address, endpoint]));
  const others = [...advertised.values()].filter(({ address }) => !configured.has(address));
  const strangers = { ...settings, credentials: undefined };
  const answers = await Promise.all([
    ...settings.endpoints.map((endpoint) => ask(endpoint, clusterId, settings, clock)),
    ...others.map((endpoint) => {
      const isExposed = !endpoint.isSecure && settings.endpoints.some(({ isSecure }) => isSecure);
      return isExposed ? notAsked(endpoint) : ask(endpoint, clusterId, strangers, clock);
    }),
  ]);
  const failed = answers.filter(({ heard }) => heard === undefined);
  const nameAt = (address: string): string | undefined =>
    members.flatMap((member) =>
      addressesOf(member).some((each) => each.address === address) ? nameOf(member) : [],
    )[0];
  const nameById = new Map(members.map((member) => [member.id, nameOf(member)]));
  const heard = answers.flatMap((answer) => (answer.heard ? [{ ...answer, ...answer.heard }] : []));
  const unheard = members.filter(
    (member) =>
      !heard.some(({ memberId }) => memberId === member.id) &&
      !addressesOf(member).some(({ address }) => configured.has(address)),
  );
  return {
    versions: new Map(heard.map(({ memberId, address, version }) => [nameById.get(memberId) ?? address, version])),
    silent: failed
      .filter(({ address }) => configured.has(address))
      .map(({ address, problem }) => [nameAt(address), `${address} (${problem})`].filter(Boolean).join(' at ')),
    unheard: unheard.map((member) => {
      const own = new Set(addressesOf(member).map(({ address }) => address));
      const tried = failed.filter(({ address }) => own.has(address));
      const where = tried.map(({ address, problem }) => `${address} (${problem})`).join(', ');
      return `Member ${nameOf(member)} of etcd was not examined: ${where === '' ? 'it advertises no address' : `no answer at ${where}`}`;
    }),
  };
}

function notAsked({ address }: Endpoint): Answer {
  return { address, heard: undefined, problem: 'not asked by http, as the endpoints have https' };
}

async function ask(endpoint: Endpoint, clusterId: string, settings: EtcdSettings, clock: Clock): Promise<Answer> {
  const { address } = endpoint;
  const client = new EtcdClient(await loadGrpc(), endpoint, { ...settings, clock });
  try {
    await client.authenticate();
    const { header, version } = await client.call('status', {});
    if (header.clusterId !== clusterId)
      return { address, heard: undefined, problem: 'a member of another cluster answers' };
    return { address, heard: { memberId: header.memberId, version }, problem: '' };
  } catch (error) {
    return { address, heard: undefined, problem: connectionProblem(error) };
  } finally {
    client.close();
  }
}

function addressesOf({ clientUrls }: Member): readonly Endpoint[] {
  return clientUrls.filter((url) => endpointsProblem(url) === undefined).flatMap(readEndpoints);
}

function nameOf({ id, name }: Member): string {
  return name === '' ? `number ${id}` : name;
}
