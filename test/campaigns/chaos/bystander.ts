import { type Mirror, type MirroredNode, type RegistryCenter } from '../../../lib/registry/registry-center.js';
import { createRegistryCenter } from '../../../lib/settings/create-registry-center.js';
import { type RegCenterSettings } from '../../../lib/settings/reg-center-settings.js';
import { until } from '../../support/until.js';
import { type JobSpec, type Moment } from './history.js';
import { monotonicMs } from './monotonic.js';

const ignore = (): void => undefined;
const SILENT = { debug: ignore, log: ignore, warn: ignore, error: ignore };

/** Watches the jobs in the registry centre without taking part, and notes each moment at which something changed. */
export class Bystander implements AsyncDisposable {
  readonly moments: Moment[] = [];
  readonly #latest = new Map<string, string>();
  /** When the registry was heard last: what it did not tell after that, it may never have seen. */
  #heardAt = monotonicMs();

  private constructor(
    private readonly centre: RegistryCenter,
    private readonly mirrors: ReadonlyMap<string, Mirror>,
  ) {}

  /** @param regCenter where the registry centre is, with the namespace */
  static async open(regCenter: RegCenterSettings, jobs: readonly JobSpec[]): Promise<Bystander> {
    const centre = createRegistryCenter({ ...regCenter, sessionTimeoutMilliseconds: 4_000 }, SILENT);
    centre.connect();
    await until(() => centre.session.state.phase === 'connected', 'the bystander to be connected');
    const mirrors = new Map<string, Mirror>();
    for (const { name } of jobs) mirrors.set(name, await centre.mirror(`/${name}`));
    const bystander = new Bystander(centre, mirrors);
    for (const job of jobs) {
      mirrors.get(job.name)?.onChange(() => bystander.#note(job));
      bystander.#note(job);
    }
    return bystander;
  }

  /** How a job stands now. */
  latest(job: string): Moment | undefined {
    return this.moments.findLast((moment) => moment.job === job);
  }

  /** All nodes of a job, read again. */
  async nodes(job: string): Promise<ReadonlyMap<string, MirroredNode>> {
    const mirror = this.mirrors.get(job);
    if (mirror === undefined) throw new Error(`The bystander does not watch ${job}`);
    await mirror.sync();
    // The map of a mirror goes on with it, and two looks are compared.
    return new Map(mirror.nodes);
  }

  #note(job: JobSpec): void {
    const mirror = this.mirrors.get(job.name);
    if (mirror === undefined) return;
    const isSeen = mirror.isCurrent;
    // That nothing is heard is noticed only after a time, and that time was no better seen than what follows it.
    const t = isSeen ? (this.#heardAt = monotonicMs()) : this.#heardAt;
    const state = { ...readState(job, mirror.nodes), isSeen };
    const text = JSON.stringify(state);
    if (this.#latest.get(job.name) === text) return;
    this.#latest.set(job.name, text);
    this.moments.push({ t, job: job.name, ...state });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.centre.close();
  }
}

/** Reads the nodes by itself rather than by the library's reader, which is among what is being tested. */
function readState(
  { name, items }: JobSpec,
  nodes: ReadonlyMap<string, MirroredNode>,
): Pick<Moment, 'isResharding' | 'owners' | 'living' | 'marked'> {
  const owners = Array.from(
    { length: items },
    (_, item) => nodes.get(`/${name}/sharding/${item}/instance`)?.value ?? '',
  );
  const below = (path: string): readonly string[] =>
    [...nodes.keys()].filter((each) => each.startsWith(`${path}/`)).map((each) => each.slice(path.length + 1));
  const isMarked = (item: number): boolean =>
    ['running', 'failover', 'failovering'].some((mark) => nodes.has(`/${name}/sharding/${item}/${mark}`)) ||
    nodes.has(`/${name}/leader/failover/items/${item}`);
  return {
    isResharding: nodes.has(`/${name}/leader/sharding/necessary`) || nodes.has(`/${name}/leader/sharding/processing`),
    owners,
    living: below(`/${name}/instances`),
    marked: owners.flatMap((_, item) => (isMarked(item) ? [item] : [])),
  };
}
