import { type JobLogger } from '../../../api/text/logger.js';
import { describeCause } from '../../../api/text/describe-cause.js';
import { Listeners } from '../../../async/listeners.js';
import { Limiter } from '../../../async/limiter.js';
import { MirroredTree } from '../../../registry/mirrored-tree.js';
import { isWithin } from '../../../registry/node-paths.js';
import { type Mirror, type MirrorOptions, type RegistryCenter } from '../../../registry/registry-center.js';
import { type Clock } from '../../../time/clock.js';

/** Options of following a namespace. */
export interface TreeOptions extends MirrorOptions {
  readonly clock: Clock;
  readonly logger: JobLogger;
}

/** A mirror of all jobs. */
export interface TreeMirror extends Omit<
  Mirror,
  'significantChanges' | 'narrow' | 'isNarrowed' | 'isWidening' | 'widen'
> {
  /** The reasons why jobs cannot be read with these credentials, by the name of the job. */
  readonly hidden?: ReadonlyMap<string, string>;
}

/**
 * A mirror of all jobs: one recursive mirror, or, if a job belongs to other credentials and would hide all others, one
 * for each job that can be read.
 */
export async function openTree(registry: RegistryCenter, options: TreeOptions): Promise<TreeMirror> {
  try {
    return await registry.mirror('/', mirrorOptions(options));
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return await JobTrees.open(registry, options);
  }
}

function mirrorOptions({ presenceOnly, isRoutine }: MirrorOptions): MirrorOptions {
  return { ...(presenceOnly && { presenceOnly }), ...(isRoutine && { isRoutine }) };
}

/** The milliseconds between two checks for new and removed jobs, which the mirrors of single jobs do not report. */
const LOOK_EVERY_MS = 5_000;

/** The most mirrors that are opened at a time. */
const AT_ONCE = 20;

/** Joins the mirrors of all jobs that can be read. Its state is of one moment for each job, not for all jobs. */
class JobTrees implements TreeMirror {
  readonly path = '/';
  readonly hidden = new Map<string, string>();
  readonly #registry: RegistryCenter;
  readonly #options: TreeOptions;
  readonly #tree = new MirroredTree();
  readonly #mirrors = new Map<string, { readonly mirror: Mirror; moment: number }>();
  readonly #listeners: Listeners;
  #cancel: () => void = () => undefined;
  #isClosed = false;
  #isReachable = true;

  private constructor(registry: RegistryCenter, options: TreeOptions) {
    this.#registry = registry;
    this.#options = options;
    this.#listeners = new Listeners({
      onError: (error) => options.logger.error(`The console could not follow a job: ${describeCause(error)}`),
    });
  }

  static async open(registry: RegistryCenter, options: TreeOptions): Promise<JobTrees> {
    const trees = new JobTrees(registry, options);
    try {
      await trees.#look();
    } catch (error) {
      trees.close();
      throw error;
    }
    trees.#lookLater();
    return trees;
  }

  get nodes(): Mirror['nodes'] {
    return this.#tree.nodes;
  }

  get moment(): number {
    return this.#tree.moment;
  }

  changesSince(moment: number): readonly string[] | undefined {
    return this.#tree.changesSince(moment);
  }

  get isCurrent(): boolean {
    return !this.#isClosed && this.#isReachable && [...this.#mirrors.values()].every(({ mirror }) => mirror.isCurrent);
  }

  onChange(listener: () => void): () => void {
    return this.#listeners.add(listener);
  }

  async sync(): Promise<void> {
    await this.#look();
    await Promise.all([...this.#mirrors.values()].map(({ mirror }) => mirror.sync()));
  }

  async load(): Promise<void> {
    await Promise.all([...this.#mirrors.values()].map(({ mirror }) => mirror.load()));
  }

  close(): void {
    this.#isClosed = true;
    this.#cancel();
    for (const { mirror } of this.#mirrors.values()) mirror.close();
    this.#listeners.clear();
  }

  #lookLater(): void {
    if (this.#isClosed) return;
    this.#cancel = this.#options.clock.after(LOOK_EVERY_MS, () => {
      void this.#look()
        .then(
          () => (this.#isReachable = true),
          () => (this.#isReachable = false),
        )
        .then(() => {
          this.#listeners.notify();
          this.#lookLater();
        });
    });
  }

  async #look(): Promise<void> {
    const names = new Set(await this.#registry.children('/'));
    for (const name of this.hidden.keys()) if (!names.has(name)) this.hidden.delete(name);
    for (const [name, { mirror }] of this.#mirrors) {
      if (names.has(name) || mirror.nodes.size > 0) continue;
      mirror.close();
      this.#mirrors.delete(name);
    }
    const limiter = new Limiter(AT_ONCE);
    const missing = [...names].filter((name) => !this.#mirrors.has(name));
    await Promise.all(missing.map((name) => limiter.run(() => this.#add(name))));
  }

  async #add(name: string): Promise<void> {
    let mirror: Mirror;
    try {
      mirror = await this.#registry.mirror(`/${name}`, mirrorOptions(this.#options));
    } catch (error) {
      if (!isRefusal(error)) throw error;
      this.hidden.set(name, describeCause(error));
      return;
    }
    if (this.#isClosed || this.#mirrors.has(name)) return mirror.close();
    this.hidden.delete(name);
    const entry = { mirror, moment: mirror.moment };
    this.#mirrors.set(name, entry);
    for (const [path, node] of mirror.nodes) this.#tree.set(path, node);
    mirror.onChange(() => this.#follow(entry));
    this.#listeners.notify();
  }

  #follow(entry: { readonly mirror: Mirror; moment: number }): void {
    const { mirror } = entry;
    const own = (): readonly string[] => [...this.nodes.keys()].filter((path) => isWithin(path, mirror.path));
    const changed = mirror.changesSince(entry.moment) ?? [...own(), ...mirror.nodes.keys()];
    entry.moment = mirror.moment;
    for (const path of changed) this.#tree.set(path, mirror.nodes.get(path));
    this.#listeners.notify();
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'REGISTRY_CREDENTIALS';
}
