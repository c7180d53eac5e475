import { upstreamsOf } from '../../../graphs/job-graph.js';
import { ExplanationAPI } from '../../../operations/explanation-api.js';
import { isDisabled } from '../../../operations/statuses.js';
import { type Clock } from '../../../time/clock.js';
import { type Page } from '../../contract/common.js';
import {
  type Explanation,
  type FiresPreview,
  type InstanceRow,
  type JobDetail,
  type JobRow,
  type Overview,
  type PruneAnswer,
  type PruneRequest,
  type ScheduleLane,
  type SchedulePage,
  type ServerJobRow,
  type ServerRow,
  type ShardRow,
  type TreeNode,
} from '../../contract/jobs.js';
import { type Caller } from '../../security/callers/caller.js';
import { type ConsoleAudit } from '../../security/audit/console-audit.js';
import { type LiveJobs } from '../live/live-jobs.js';
import { type ConsoleRegistry } from '../registries/console-registry.js';
import { type DataSources } from '../trace/data-sources.js';
import { type LastRuns } from '../trace/last-runs.js';
import { resultOf } from '../trace/trace-rows.js';
import { type Traces } from '../trace/traces.js';
import { explained } from './explained.js';
import { type FiresRange, previewOf } from './fires.js';
import { jobItems, type JobListQuery, jobPage } from './job-list.js';
import { instanceRows, jobRow, kindOf, shardRows, withRuns } from '../live/job-rows.js';
import { type IsSecret, secretsOf } from './job-secrets.js';
import { askForDump, type DumpRequest, jobDumpText, jobTree } from './job-tree.js';
import { pageOf, type PagePart } from './page-part.js';
import { findJob, requireReadable, staleness } from './live-lookup.js';
import { type ConsoleAction } from './noted-operations.js';
import { type Problems } from './problems.js';
import { checkRange, nextFires, scheduleLanes } from './schedule.js';
import { findServer, pruneServers, serverJobRows, serverRows } from './servers.js';

/** The parts with which jobs are read. */
export interface ConsoleJobsParts {
  readonly traces: Traces;
  readonly runs: LastRuns;
  readonly sources: DataSources;
  readonly problems: Problems;
  readonly audit: ConsoleAudit;
  readonly clock: Clock;
  readonly dumpPorts?: readonly [number, number] | undefined;
  /** True if parameters of jobs and items are hidden. */
  readonly hidesParameters?: boolean | undefined;
}

const DAY_MS = 86_400_000;
const NEXT_FIRES = 20;

/** The most runs of a lane. */
const MOST_RUNS_OF_LANE = 300;

/** Reads jobs and servers for the console. */
export class ConsoleJobs {
  readonly #parts: ConsoleJobsParts;
  readonly #isSecret: IsSecret;

  constructor(parts: ConsoleJobsParts) {
    this.#parts = parts;
    this.#isSecret = secretsOf(parts.hidesParameters ?? false);
  }

  async list(registry: ConsoleRegistry, query: JobListQuery): Promise<Page<JobRow>> {
    const live = await registry.jobs();
    return jobPage(live, query, { now: this.#now, runs: this.#parts.runs });
  }

  async detail(registry: ConsoleRegistry, jobName: string): Promise<JobDetail> {
    const { live, job } = await findJob(registry, jobName);
    const { runs } = this.#parts;
    const { view } = job;
    await runs.read([{ jobName, items: view.config?.shardingTotalCount }]);
    const instances = [...view.instances.values()];
    return {
      ...withRuns(jobRow(job, this.#now), runs.of(jobName)),
      kinds: [...new Set(instances.map(({ jobInstanceId }) => kindOf(view, jobInstanceId)))].sort(),
      ...(view.leader !== undefined && { leader: view.leader }),
      successors: live.jobs
        .flatMap((each) => (upstreamsOf(each.view.config).includes(jobName) ? each.jobName : []))
        .sort(),
      serverStates: [...view.servers]
        .map(([serverIp, status]) => ({
          serverIp,
          isDisabled: isDisabled(status),
          instanceCount: instances.filter((each) => each.serverIp === serverIp).length,
        }))
        .sort((one, other) => (one.serverIp < other.serverIp ? -1 : 1)),
    };
  }

  /** Items in ascending order, a page at a time. @throws ConsoleProblem 400 if the cursor is invalid */
  async shards(registry: ConsoleRegistry, jobName: string, part: PagePart): Promise<Page<ShardRow>> {
    const { live, job } = await findJob(registry, jobName);
    requireReadable(job);
    const runs = await this.#parts.runs.ofItems({ jobName, items: job.view.config?.shardingTotalCount });
    const rows = shardRows(job, runs);
    return { ...pageOf(rows, { keyOf: ({ item }) => String(item).padStart(10, '0'), ...part }), ...staleness(live) };
  }

  /** Living instances by their ids, a page at a time. @throws ConsoleProblem 400 if the cursor is invalid */
  async instances(registry: ConsoleRegistry, jobName: string, part: PagePart): Promise<Page<InstanceRow>> {
    const { live, job } = await findJob(registry, jobName);
    requireReadable(job);
    return { ...pageOf(instanceRows(job), { keyOf: ({ instanceId }) => instanceId, ...part }), ...staleness(live) };
  }

  /** Nodes by their paths, a page at a time. @throws ConsoleProblem 400 if the cursor is invalid */
  tree(
    registry: ConsoleRegistry,
    jobName: string,
    part: PagePart & { readonly addresses: 'masked' | 'shown' },
  ): Promise<Page<TreeNode>> {
    return jobTree(registry, jobName, { ...part, isSecret: this.#isSecret });
  }

  dump(registry: ConsoleRegistry, jobName: string): Promise<string> {
    return jobDumpText(registry, jobName, this.#isSecret);
  }

  askForDump(registry: ConsoleRegistry, request: DumpRequest, caller: Caller): Promise<string> {
    const { audit, clock, dumpPorts: ports } = this.#parts;
    const target = `${request.jobName}@${request.serverIp}:${request.port}`;
    return audit.record({ action: 'job.dump', registry: registry.name, target, caller }, () =>
      askForDump(registry, request, { ports, clock, isSecret: this.#isSecret }),
    );
  }

  async explain(
    registry: ConsoleRegistry,
    jobName: string,
    { item, at }: { readonly item?: number | undefined; readonly at?: number | undefined },
  ): Promise<Explanation> {
    const { job } = await findJob(registry, jobName);
    const source = this.#parts.sources.activated;
    const trace = source && {
      executions: (filter: Parameters<Traces['executions']>[1]) =>
        source.use((storage, signal) => storage.executions(filter, signal)),
      statuses: (filter: Parameters<Traces['statuses']>[1]) =>
        source.use((storage, signal) => storage.statuses(filter, signal)),
    };
    const api = new ExplanationAPI(registry.center, { clock: this.#parts.clock, past: { trace } });
    const found = await api.explain(jobName, item, at === undefined ? undefined : new Date(at));
    return explained(found, job.view.config?.timeZone);
  }

  async fires(
    registry: ConsoleRegistry,
    jobName: string,
    { from = this.#now, count, lang }: { from?: number | undefined; count: number; lang?: string | undefined },
  ): Promise<FiresPreview> {
    const { job } = await findJob(registry, jobName);
    requireReadable(job);
    const { cron, timeZone } = job.view.config ?? {};
    if (cron === undefined) return { fires: [], timeZone: timeZone ?? '' };
    return previewOf({ cron, timeZone, lang }, { from, count });
  }

  preview(
    what: Parameters<typeof previewOf>[0],
    { from = this.#now, count }: { readonly from?: number | undefined; readonly count: number },
  ): FiresPreview {
    const range: FiresRange = { from, count };
    return previewOf(what, range);
  }

  async servers(registry: ConsoleRegistry): Promise<Page<ServerRow>> {
    const live = await registry.jobs();
    return whole(serverRows(live), live);
  }

  async server(registry: ConsoleRegistry, ip: string): Promise<ServerRow> {
    return findServer(await registry.jobs(), ip);
  }

  async serverJobs(registry: ConsoleRegistry, ip: string): Promise<Page<ServerJobRow>> {
    const live = await registry.jobs();
    findServer(live, ip);
    return whole(serverJobRows(live, ip), live);
  }

  prune(action: ConsoleAction, request: PruneRequest): Promise<PruneAnswer> {
    return pruneServers(this.#parts.audit, action, request, this.#parts.clock);
  }

  async overview(registry: ConsoleRegistry, windowMs: number): Promise<Overview> {
    const live = await registry.jobs();
    const { problems, traces, sources, runs: lastRuns } = this.#parts;
    const now = this.#now;
    const range = { from: now - windowMs, to: now };
    const hasSource = sources.activated !== undefined;
    const [found, runs] = await Promise.all([
      problems.of(registry),
      // The overview works without the trace, whose own page shows the failure.
      hasSource ? traces.statistics(undefined, range).catch(() => undefined) : undefined,
      lastRuns.read(jobItems(live)),
    ]);
    const jobsByStatus: Partial<Record<JobRow['status'], number>> = {};
    let runningItems = 0;
    for (const job of live.jobs) {
      const { status } = withRuns(jobRow(job, now), lastRuns.of(job.jobName));
      jobsByStatus[status] = (jobsByStatus[status] ?? 0) + 1;
      runningItems += jobRow(job, now).runningItems;
    }
    return {
      ...{ jobsByStatus, runningItems, serverCount: serverRows(live).length },
      ...(runs && { runs }),
      ...(found && { problems: found }),
      nextFires: nextFires(live, now, NEXT_FIRES),
      ...staleness(live),
    };
  }

  async schedule(
    registry: ConsoleRegistry,
    { from = this.#now, to = from + DAY_MS }: { from?: number | undefined; to?: number | undefined },
  ): Promise<SchedulePage> {
    checkRange({ from, to });
    const live = await registry.jobs();
    const now = this.#now;
    const past = from < now ? await this.#parts.traces.between(from, Math.min(to, now)) : undefined;
    const runs = new Map<string, ScheduleLane['runs'][number][]>();
    let runsFrom = past?.isCut === true ? past.rows.at(-1)?.startTime.getTime() : undefined;
    for (const row of past?.rows ?? []) {
      const own = runs.get(row.jobName) ?? [];
      runs.set(row.jobName, own);
      const at = row.startTime.getTime();
      // All lanes share the time from which on their runs are complete.
      if (own.length >= MOST_RUNS_OF_LANE) runsFrom = Math.max(runsFrom ?? at, own.at(-1)?.from ?? at);
      else own.push({ from: at, ...(row.completeTime && { to: row.completeTime.getTime() }), result: resultOf(row) });
    }
    const lanes = scheduleLanes(live, { from, to }, { now, runsOf: (jobName) => runs.get(jobName) ?? [] });
    return {
      ...whole(lanes, live),
      ...(runsFrom !== undefined && { runsFrom }),
      ...(from < now && { hasRuns: past !== undefined }),
    };
  }

  get #now(): number {
    return this.#parts.clock.now();
  }
}

function whole<Row>(items: readonly Row[], live: LiveJobs): Page<Row> {
  return { items, total: items.length, ...staleness(live) };
}
