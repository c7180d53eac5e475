import { JobOperateAPI } from '../../../operations/job-operate-api.js';
import { isDisabled } from '../../../operations/statuses.js';
import { type Clock } from '../../../time/clock.js';
import { type PruneAnswer, type PruneRequest, type ServerJobRow, type ServerRow } from '../../contract/jobs.js';
import { ConsoleProblem } from '../../answers/console-problem.js';
import { type ConsoleAudit } from '../../security/audit/console-audit.js';
import { type LiveJobs } from '../live/live-jobs.js';
import { type ConsoleAction, operate } from './noted-operations.js';

interface Draft {
  readonly instances: Set<string>;
  readonly jobs: Set<string>;
  readonly disabled: Set<string>;
}

/** All servers by address, also those without a living instance. */
export function serverRows(live: LiveJobs): readonly ServerRow[] {
  const drafts = new Map<string, Draft>();
  const draft = (ip: string): Draft => {
    let known = drafts.get(ip);
    if (known === undefined) drafts.set(ip, (known = { instances: new Set(), jobs: new Set(), disabled: new Set() }));
    return known;
  };
  for (const { jobName, view } of live.jobs) {
    for (const [ip, status] of view.servers) {
      draft(ip).jobs.add(jobName);
      if (isDisabled(status)) draft(ip).disabled.add(jobName);
    }
    for (const { jobInstanceId, serverIp } of view.instances.values()) draft(serverIp).instances.add(jobInstanceId);
  }
  return [...drafts]
    .map(([serverIp, parts]) => serverRow(serverIp, parts))
    .sort((a, b) => (a.serverIp < b.serverIp ? -1 : 1));
}

function serverRow(serverIp: string, { instances, jobs, disabled }: Draft): ServerRow {
  const all = jobs.size > 0 && disabled.size === jobs.size;
  const state = all
    ? 'disabled'
    : instances.size === 0
      ? 'offline'
      : disabled.size > 0
        ? 'partially-disabled'
        : 'online';
  return { serverIp, instanceCount: instances.size, jobCount: jobs.size, disabledJobCount: disabled.size, state };
}

/** @throws ConsoleProblem 404 if no job has that server */
export function findServer(live: LiveJobs, ip: string): ServerRow {
  const row = serverRows(live).find(({ serverIp }) => serverIp === ip);
  if (row !== undefined) return row;
  throw new ConsoleProblem(404, 'unknown-server', `No job has a server '${ip}'.`);
}

/** The jobs of a server, by name. */
export function serverJobRows(live: LiveJobs, ip: string): readonly ServerJobRow[] {
  return live.jobs
    .flatMap(({ jobName, view }): ServerJobRow[] => {
      const ids = new Set(
        [...view.instances.values()].filter(({ serverIp }) => serverIp === ip).map((each) => each.jobInstanceId),
      );
      const status = view.servers.get(ip);
      if (status === undefined && ids.size === 0) return [];
      const items = view.items.filter(({ owner }) => owner !== undefined && ids.has(owner)).length;
      return [{ jobName, isDisabled: status !== undefined && isDisabled(status), instanceCount: ids.size, items }];
    })
    .sort((one, other) => (one.jobName < other.jobName ? -1 : 1));
}

/** Removes servers without a living instance, or only lists them. */
export async function pruneServers(
  audit: ConsoleAudit,
  action: ConsoleAction,
  { dryRun, includeDisabled = false }: PruneRequest,
  clock: Clock,
): Promise<PruneAnswer> {
  if (dryRun) {
    const servers = await new JobOperateAPI(action.registry.center, { clock }).pruneServers({
      dryRun,
      includeDisabled,
    });
    return { servers };
  }
  const what = { action: 'server.prune', target: 'offline servers', clock };
  const servers = await operate(audit, action, what, ({ jobs, context }) =>
    jobs.pruneServers({ includeDisabled, ...context }),
  );
  return { servers };
}
