import { type WatchedCommit } from '../../../lib/registry/embedded/embedded-namespace.js';
import { type JobPaths } from '../../../lib/layout/job-paths.js';
import { idOf } from '../../support/views.js';
import { type OtherJob } from './history.js';
import { type Commit, type Rest } from './recording.js';
import { RunBook } from './run-book.js';
import { TraceBook } from './trace-book.js';
import { type Machine, type World } from './world.js';

/** Everything that is recorded of one job: its runs, its traces, the commits to its nodes, and its rests. */
export class JobBook {
  readonly runs: RunBook;
  readonly traces: TraceBook;
  readonly commits: Commit[] = [];
  readonly rests: Rest[] = [];
  readonly #name: string;
  readonly #world: () => World;

  constructor(seed: number, job: OtherJob, world: () => World) {
    this.#name = job.name;
    this.#world = world;
    this.runs = new RunBook(seed, job, world);
    this.traces = new TraceBook(job.name, world);
  }

  get #paths(): JobPaths {
    return this.#world().pathsOf(this.#name);
  }

  /**
   * Notes the commits to the job's nodes from now on.
   * @param names the names of instances by their sessions, which registrations show
   */
  follow(names: Map<string, string>): void {
    this.#world().namespace.watch(this.#paths.root, (commit) => this.#note(commit, names));
  }

  #note({ revision, session, changes }: WatchedCommit, names: Map<string, string>): void {
    for (const { path, after } of changes) {
      const id = after?.session === undefined ? undefined : this.#paths.parse(path);
      if (id?.type === 'instance') names.set(session, this.#nameOf(id.id));
    }
    this.commits.push({
      atMs: this.#world().nowMs,
      revision,
      by: names.get(session) ?? 'operator',
      changes: changes.map(({ path, before, after }) => ({ path, before: before?.value, after: after?.value })),
    });
  }

  #nameOf(id: string): string {
    return [...this.#world().machines.keys()].find((name) => idOf(name) === id) ?? id;
  }

  noteRest(): void {
    const { namespace, nowMs } = this.#world();
    this.rests.push({
      atMs: nowMs,
      present: this.#world()
        .presentFor(this.#paths)
        .map(({ name, host, clock: own, registry }) => ({
          name,
          phase: host.jobs.get(this.#name)?.phase ?? 'none',
          timers: own.timers,
          skewMs: own.skewMs,
          session: registry.session.state.phase,
        })),
      tree: new Map([...namespace.subtree(this.#paths.root)].map(([path, { value }]) => [path, value])),
    });
  }

  /** The process of the machine is gone. */
  lose(machine: Machine): void {
    this.runs.lose(machine);
    this.traces.lose(machine);
  }
}
