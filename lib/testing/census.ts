import { type JobInstance } from '../api/sharding-strategy.js';
import { jobInstanceOn } from '../layout/job-instance.js';

/** All instances that a test's cluster has ever had: which name stands for which process on which server. */
export class Census {
  readonly #names = new Map<string, string>();
  readonly #servers = new Map<string, string>();

  /**
   * A new process of that name: `10.0.0.65@-@1-A`, the second one `10.0.0.65@-@2-A`.
   * @param onServerOf name of the instance whose server it runs on, if it has none yet; default: one of its own
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

  /** Name of an instance by its id; of another one what its id ends with, or all of it; `nobody` for none. */
  nameOf(id: string | undefined): string {
    return id === undefined ? 'nobody' : (this.#names.get(id) ?? /-(\w+)$/.exec(id)?.[1] ?? id);
  }

  /** Id of the latest process of that name. @throws RangeError if there was none */
  idOf(name: string): string {
    const id = [...this.#names].findLast(([, each]) => each === name)?.[0];
    return id ?? unheardOf(name);
  }

  /** Ip of the server of that name. @throws RangeError if there was none */
  ipOf(name: string): string {
    return this.#servers.get(name) ?? unheardOf(name);
  }
}

function unheardOf(name: string): never {
  throw new RangeError(`No instance '${name}' has ever joined`);
}

/** An ip for the server of that name that tells names of one letter apart by sight and by order, and is not taken. */
function freeIp(name: string, taken: ReadonlySet<string>): string {
  const start = name.charCodeAt(name.length - 1) % 256;
  for (let number = start; ; number++) {
    const ip = `10.0.${Math.floor(number / 256)}.${number % 256}`;
    if (!taken.has(ip)) return ip;
  }
}
