import { isMisassigned } from '../../../lib/kernel/view/assignment.js';
import { availableInstances } from '../../../lib/layout/job-view.js';
import { type Stage } from './stage.js';

/** The nodes that a job with living instances has at rest, besides those that the instances account for. */
const LASTING = [
  /^$/,
  /^config$/,
  /^(instances|servers|leader|leader\/(election|election\/latch|sharding|failover|failover\/(items|latch))|sharding|trigger|guarantee|guarantee\/\w+-latch|systemTime|systemTime\/current|x-node|x-node\/(live|fired|triggered|crashed|assigned-for|guarantee|guarantee\/(present|started|completed)))$/,
  /^servers\/[^/]+$/,
  /^leader\/election\/instance$/,
  /^sharding\/\d+(\/(instance|disabled))?$/,
];

/**
 * The faults at the end of a scenario: all instances must be at rest, one must lead, and nothing may be left behind.
 */
export function unrest(stage: Stage): readonly string[] {
  return [
    ...stage.work.open.map((place) => `${place} is still in progress`),
    ...(stage.network.isWaiting ? ['the write that something was to happen at never came'] : []),
    ...stage.jobs.flatMap(({ jobName }) => unrestOf(stage, jobName)),
  ];
}

function unrestOf(stage: Stage, jobName: string): readonly string[] {
  const view = stage.viewOf(jobName);
  const said = (text: string): string => (stage.jobs.length > 1 ? `${jobName}: ${text}` : text);
  const available = availableInstances(view).map(({ jobInstanceId }) => jobInstanceId);
  const found: string[] = [];
  if (available.length > 0) {
    if (view.leader === undefined) found.push('nobody leads');
    else if (!available.includes(view.leader)) found.push(`${stage.nameOf(view.leader)} leads, who must not`);
    if (view.items.length !== view.config?.shardingTotalCount) found.push(`there are ${view.items.length} items`);
    if (isMisassigned(view)) found.push('another assignment is due');
    for (const { item, owner } of view.items)
      if (owner === undefined || !available.includes(owner))
        found.push(
          `item ${item} is ${owner === undefined ? "nobody's" : `${stage.nameOf(owner)}'s, who cannot run it`}`,
        );
  }
  return [...found, ...residue(stage, jobName)].map(said);
}

/** Nodes that no instance accounts for. */
function residue(stage: Stage, jobName: string): readonly string[] {
  const { root } = stage.pathsOf(jobName);
  const { instances } = stage.viewOf(jobName);
  return [...stage.registry.subtree(root)].flatMap(([path, { value }]) => {
    const relative = path.slice(root.length + 1);
    const [, id] =
      /^(?:instances|x-node\/live|x-node\/fired|x-node\/guarantee\/present)\/([^/]+)$/.exec(relative) ?? [];
    const isExpected = id === undefined ? LASTING.some((pattern) => pattern.test(relative)) : instances.has(id);
    return isExpected ? [] : [stage.readable(`left behind: ${relative}${value === '' ? '' : ` = ${value.trim()}`}`)];
  });
}
