import { type JobInstance } from '../api/extensions/sharding-strategy.js';
import { jobInstanceOn } from '../layout/job-instance.js';

/** The names of all instances that a test's cluster has ever had, with their processes and servers. */
export class InstanceNames {
  readonly #names = new Map<string, string>();
  readonly #servers = new Map<string, string>();

  /**
   * A new process of that name. The first one has the id `10.0.0.65@-@1-A`, the second one `10.0.0.65@-@2-A`.
   * @param onServerOf name of the instance whose server it shares. Default: a server of its own. Has no effect if the
   * name has a server already
   * @throws RangeError if `onServerOf` has never joined
   */
  register(name: string, onServerOf?: string): JobInstance {
    const taken = new Set(this.#servers.values());
    const ip = this.#servers.get(name) ?? (onServerOf === undefined ? freeIp(name, taken) : this.ipOf(onServerOf));
    this.#servers.set(name, ip);
    const former = [...this.#names.values()].filter((each) => each === name).length;
    const instance = jobInstanceOn(ip, `${former + 1}-${name}`);
    this.#names.set(instance.jobInstanceId, name);
    return instance;
  }

  /**
   * The name that a test gave to the instance with this id. An id that the test did not give ends with its name, as in
   * `10.0.0.7@-@9-B`; if it does not, the id itself is the name. `nobody` is the name for `undefined`.
   */
  nameOf(id: string | undefined): string {
    return id === undefined ? 'nobody' : (this.#names.get(id) ?? /-(\w+)$/.exec(id)?.[1] ?? id);
  }

  /** The id of the latest process of that name. @throws RangeError if there was none */
  idOf(name: string): string {
    const id = [...this.#names].findLast(([, each]) => each === name)?.[0];
    return id ?? neverJoined(name);
  }

  /** The ip of the server that processes of that name run on. @throws RangeError if there was none */
  ipOf(name: string): string {
    return this.#servers.get(name) ?? neverJoined(name);
  }
}

function neverJoined(name: string): never {
  throw new RangeError(`No instance '${name}' has ever joined`);
}

/** An ip that is not taken. It is derived from the name, so that servers sort and read as names of one letter do. */
function freeIp(name: string, taken: ReadonlySet<string>): string {
  const start = name.charCodeAt(name.length - 1) % 256;
  for (let number = start; ; number++) {
    const ip = `10.0.${Math.floor(number / 256)}.${number % 256}`;
    if (!taken.has(ip)) return ip;
  }
}
