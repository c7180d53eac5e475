import { JobPaths } from '../../layout/job-paths.js';
import { type JobView, JobViewReader } from '../../layout/job-view.js';
import { decodeBeginRecord } from '../../layout/x-node/begin-record.js';
import { mergeEndRecords } from '../../layout/x-node/end-record.js';
import { encodeSuccessor } from '../../layout/x-node/graph-view.js';
import { type Mirror, type RegistryCenter } from '../../registry/registry-center.js';
import { type Upstream } from '../graph/due-rounds.js';

/** Options of an `UpstreamWatch`. */
export interface UpstreamWatchOptions {
  readonly registry: RegistryCenter;
  /** The name of the upstream job. */
  readonly jobName: string;
  /** True if the ends of single items matter, and not only complete rounds. */
  readonly withEnds: boolean;
  /** Called after each change of the upstream job's nodes. */
  readonly onChange: () => void;
}

/** Follows one upstream job: its settings, its complete rounds, and the ends of its items if they matter. */
export class UpstreamWatch {
  readonly #registry: RegistryCenter;
  readonly #paths: JobPaths;
  readonly #mirrors: readonly Mirror[];
  #read: { readonly moment: string; readonly view: JobView } | undefined;

  private constructor(registry: RegistryCenter, paths: JobPaths, mirrors: readonly Mirror[]) {
    this.#registry = registry;
    this.#paths = paths;
    this.#mirrors = mirrors;
  }

  /** @throws RegistryUnavailableError if the nodes cannot be read now */
  static async open({ registry, jobName, withEnds, onChange }: UpstreamWatchOptions): Promise<UpstreamWatch> {
    const paths = new JobPaths(jobName);
    const roots = [paths.config, paths.graph, paths.leader, ...(withEnds ? [paths.endRecords] : [])];
    const opened = await Promise.allSettled(roots.map((path) => registry.mirror(path)));
    const mirrors = opened.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    for (const result of opened) {
      if (result.status === 'fulfilled') continue;
      for (const mirror of mirrors) mirror.close();
      throw result.reason;
    }
    for (const mirror of mirrors) mirror.onChange(onChange);
    return new UpstreamWatch(registry, paths, mirrors);
  }

  get jobName(): string {
    return this.#paths.jobName;
  }

  /** Grows with each change; a text, to compare with others. */
  get moment(): string {
    return this.#mirrors.map(({ moment }) => moment).join(',');
  }

  /** True if the job has settings, without which there is no job. */
  get isThere(): boolean {
    return this.settingsRevision !== undefined;
  }

  /** Revision of its settings; `undefined` if it has none. */
  get settingsRevision(): number | undefined {
    return this.#view.configRevision;
  }

  /** True if an enabled instance runs the job: otherwise it has no leader. */
  get isLed(): boolean {
    return this.#view.leader !== undefined;
  }

  /** True if a job of that name is registered as a successor. */
  knows(successor: string): boolean {
    return this.#view.graph.successors.has(successor);
  }

  /** What the successor of that name has to know; nothing is due before it is registered. */
  asUpstreamOf(successor: string): Upstream {
    const { graph } = this.#view;
    const since = this.knows(successor) ? (graph.successors.get(successor) ?? -Infinity) : Infinity;
    const { rounds, droppedUpTo = -Infinity } = graph.rounds;
    return { rounds, droppedUpTo, ends: mergeEndRecords(graph.ends.values()), since };
  }

  /**
   * Registers a successor. It is due for rounds that begin from now on: the instances write down the ends of runs only
   * when they know of it.
   */
  async register(successor: string): Promise<void> {
    const begun = await this.#latestBegun();
    const completed = this.#view.graph.rounds.rounds.at(-1)?.instant ?? -Infinity;
    const since = Math.max(begun, completed);
    await this.#registry.create(
      this.#paths.successor(successor),
      encodeSuccessor(Number.isFinite(since) ? since : undefined),
    );
    await Promise.all(this.#mirrors.map((mirror) => mirror.sync()));
  }

  async #latestBegun(): Promise<number> {
    const { beginRecords } = this.#paths;
    const ids = await this.#registry.children(beginRecords);
    const nodes = await this.#registry.getAll(ids.map((id) => this.#paths.beginRecord(id)));
    let latest = -Infinity;
    for (const node of nodes) {
      const { instants, keys } = decodeBeginRecord(node?.value ?? '');
      for (const instant of [...instants.values(), ...keys.values()]) latest = Math.max(latest, instant);
    }
    return latest;
  }

  get #view(): JobView {
    const { moment } = this;
    if (this.#read?.moment === moment) return this.#read.view;
    const nodes = new Map(this.#mirrors.flatMap((mirror) => [...mirror.nodes]));
    const view = new JobViewReader(this.#paths).read(nodes);
    this.#read = { moment, view };
    return view;
  }

  close(): void {
    for (const mirror of this.#mirrors) mirror.close();
  }
}
