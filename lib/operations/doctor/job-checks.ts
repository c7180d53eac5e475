import { availableInstances, isGone } from '../../layout/job-view.js';
import { isAssigned, itemsToAwait } from '../../kernel/view/assignment.js';
import { configurationFault } from '../../kernel/view/obstacles.js';
import { settingsFault } from '../statuses.js';
import { commandLine } from '../command-line.js';
import { type Check, type JobCase, symptom } from './finding.js';

/** A clock may be this many milliseconds ahead of the registry centre's, as both are read at different moments. */
const CLOCK_TOLERANCE_MS = 1_000;

const listed = (ids: readonly string[]): string =>
  ids.length <= 5 ? ids.join(', ') : `${ids.slice(0, 5).join(', ')}, … (${ids.length})`;

const configuration: Check = (job) => {
  const { view, paths, fullPath } = job;
  const path = fullPath(paths.config);
  if (view.configFault !== undefined)
    return [
      symptom(job, {
        ...{ type: 'unreadable-configuration', code: 'unreadable-configuration' },
        values: { fault: configurationFault(view.configFault, paths, fullPath) },
        severity: 'critical',
        sentence: `The stored settings cannot be used: ${configurationFault(view.configFault, paths, fullPath).replace(/\.$/, '')}.`,
        consequence: 'Nothing of this job runs, and its applications cannot start it.',
        cure: `Write valid settings to ${path}, or delete that node and restart an instance, which then stores its own.`,
      }),
    ];
  if (view.config !== undefined) return [];
  return [
    symptom(job, {
      ...{ type: 'no-configuration', code: 'no-configuration', command: commandLine('remove', job.jobName) },
      severity: view.instances.size > 0 ? 'critical' : 'notice',
      sentence: `There is no node ${path}.`,
      consequence: 'It is no job as it stands: nothing of it runs, and lists leave it out.',
      cure: `Restart an application that has the job, which then stores its own settings, or remove what is left of it: ${commandLine('remove', job.jobName)}, or JobConfigurationAPI.removeJobConfiguration().`,
    }),
  ];
};

const schedule: Check = (job) => {
  const { view, paths, fullPath } = job;
  const fault = settingsFault(view);
  if (fault === undefined) return [];
  return [
    symptom(job, {
      ...{ type: 'unusable-settings', code: 'unusable-settings', values: { fault } },
      severity: 'critical',
      subject: fault.slice(0, fault.indexOf(':')),
      sentence: `No instance can use the stored settings: ${fault}.`,
      consequence: 'Running instances go on with their former settings; new instances cannot start the job.',
      cure: `Store a value that can be used: ${commandLine('config', 'set', job.jobName)} ${fault.slice(0, fault.indexOf(':'))}=<value>, JobConfigurationAPI.updateJobConfiguration(), or write it to ${fullPath(paths.config)}.`,
    }),
  ];
};

const instances: Check = (job) => {
  const { view } = job;
  if (view.config === undefined) return [];
  if (view.instances.size === 0)
    return [
      symptom(job, {
        ...{ type: 'no-instance', code: 'no-instance', command: commandLine('remove', job.jobName) },
        severity: 'warning',
        sentence: 'No instance of the job lives.',
        consequence: 'Nothing of it runs.',
        cure: `Start an application that has the job; if there is none any more, remove the job: ${commandLine('remove', job.jobName)}, or JobConfigurationAPI.removeJobConfiguration().`,
      }),
    ];
  const off = [...view.servers].filter(([, status]) => status === 'DISABLED').map(([ip]) => ip);
  if (availableInstances(view).length > 0 || off.length === 0) return [];
  return [
    symptom(job, {
      ...{ type: 'servers-disabled', code: 'servers-disabled', values: { servers: listed(off) } },
      command: commandLine('enable', job.jobName),
      severity: 'notice',
      subject: listed(off),
      sentence: 'All servers with instances of the job are disabled.',
      consequence: 'Nothing of it runs until one of them is enabled.',
      cure: `Enable a server: ${commandLine('enable', job.jobName, '--server', off[0] ?? '')}, or JobOperateAPI.enable().`,
    }),
  ];
};

const leader: Check = (job) => {
  const { view, nodes, paths, fullPath } = job;
  const { leader: id, leaderSession } = view;
  if (id === undefined) return [];
  const path = fullPath(paths.leader);
  if (leaderSession === undefined) {
    const isSafe = nodes.get(paths.instance(id))?.session === undefined;
    return [
      symptom(job, {
        ...{ type: 'dead-leader', code: 'dead-leader.persistent', values: { leader: id } },
        severity: isGone(view, id) && view.instances.size > 0 ? 'critical' : 'warning',
        subject: id,
        sentence: `${path} names the leader ${id}, and is persistent, as copies and backups make it.`,
        consequence: 'When that instance is gone, no instance leads, and no items are assigned.',
        cure: `Delete it: ${commandLine('doctor', job.jobName, '--fix')}, or DoctorAPI.fix().`,
        fix: isSafe ? `Removes ${path}, if it is still as it was read.` : undefined,
        changes: isSafe ? [{ path: paths.leader, value: undefined }] : [],
      }),
    ];
  }
  if (!isGone(view, id)) return [];
  return [
    symptom(job, {
      ...{ type: 'dead-leader', code: 'dead-leader', values: { leader: id } },
      severity: view.instances.size > 0 ? 'critical' : 'warning',
      subject: id,
      sentence: `${path} names the leader ${id}, which is no living instance; session ${leaderSession} keeps the node.`,
      consequence: 'No instance leads, so no items are assigned.',
      cure: `End the process of that session, or delete ${path}.`,
    }),
  ];
};

const persistentNodes: Check = (job) =>
  restoredPaths(job).map(({ path, isSafe }) =>
    symptom(job, {
      ...{ type: 'persistent-node', code: 'persistent-node', values: { path: job.fullPath(path) } },
      severity: 'critical',
      subject: path.split('/').at(-1) ?? '',
      sentence: `${job.fullPath(path)} is persistent, as copies and backups make it; instances make it only with their session.`,
      consequence:
        'It counts as a living instance: items are assigned to it and never run, or crashed runs are not taken over.',
      cure: `Delete it: ${commandLine('doctor', job.jobName, '--fix')}, or DoctorAPI.fix().`,
      fix: isSafe ? `Removes ${job.fullPath(path)}, if it is still as it was read.` : undefined,
      changes: isSafe ? [{ path, value: undefined }] : [],
    }),
  );

/**
 * Nodes of instances that have no session. Removing one is safe only if the other node of the instance has no session
 * either: a living instance replaces such a node itself.
 */
function restoredPaths({ nodes, paths }: JobCase): readonly { readonly path: string; readonly isSafe: boolean }[] {
  const hasSession = (path: string): boolean => nodes.get(path)?.session !== undefined;
  return [...nodes.keys()].flatMap((path) => {
    const node = paths.parse(path);
    if ((node.type !== 'instance' && node.type !== 'live') || hasSession(path)) return [];
    const other = node.type === 'instance' ? paths.live(node.id) : paths.instance(node.id);
    return [{ path, isSafe: !hasSession(other) }];
  });
}

const assignment: Check = (job) => {
  const { view } = job;
  const isLed = view.leader !== undefined && !isGone(view, view.leader);
  if (view.config === undefined || !isLed || isAssigned(view) || availableInstances(view).length === 0) return [];
  const awaited = itemsToAwait(view);
  return [
    symptom(job, {
      ...{ type: 'unassigned', code: awaited.length > 0 ? 'unassigned.waits' : 'unassigned' },
      values: { leader: view.leader },
      severity: awaited.length > 0 ? 'notice' : 'warning',
      sentence: `The items wait for the leader ${view.leader} to assign them${awaited.length > 0 ? ', which waits for running items' : ''}.`,
      consequence: 'No item begins before they are assigned.',
      cure: "If this lasts, the leader's log and health report say what keeps it from that; a Java leader assigns at its next firing.",
    }),
  ];
};

const servers: Check = (job) => {
  const { view, paths, fullPath } = job;
  const used = new Set([...view.instances.values()].map(({ serverIp }) => serverIp));
  const unknown = [...view.servers].filter(([, status]) => status === 'UNKNOWN').map(([ip]) => ip);
  const offline = view.instances.size === 0 ? [] : [...view.servers.keys()].filter((ip) => !used.has(ip));
  return [
    ...unknown.map((ip) =>
      symptom(job, {
        ...{ type: 'unknown-server-status', code: 'unknown-server-status', values: { serverIp: ip } },
        command: commandLine('enable', '--server', ip),
        severity: used.has(ip) ? 'critical' : 'warning',
        subject: ip,
        sentence: `${fullPath(paths.server(ip))} is neither ENABLED nor DISABLED, which counts as disabled.`,
        consequence: 'Instances there are given no items.',
        cure: `Write ENABLED or DISABLED to it: npx elasticjob enable --server ${ip} (or disable), or JobOperateAPI.enable() or disable().`,
      }),
    ),
    ...offline.map((ip) => {
      const isEnabled = view.servers.get(ip) === 'ENABLED';
      return symptom(job, {
        ...{ type: 'offline-server', code: isEnabled ? 'offline-server' : 'offline-server.disabled' },
        values: { serverIp: ip },
        command: commandLine('prune', job.jobName, ...(isEnabled ? [] : ['--include-disabled'])),
        severity: 'notice',
        subject: ip,
        sentence: `The server ${ip} has no living instance${isEnabled ? '' : ', and is disabled'}.`,
        consequence: 'None for the items; servers of pods that do not come back add up, and consoles list them.',
        cure: isEnabled
          ? 'Remove it: npx elasticjob prune, or JobOperateAPI.pruneServers().'
          : 'If it does not come back, remove it: npx elasticjob prune --include-disabled, or JobOperateAPI.pruneServers({ includeDisabled: true }).',
        fix: isEnabled ? `Removes ${fullPath(paths.server(ip))}; an instance there registers it again.` : undefined,
        changes: isEnabled ? [{ path: paths.server(ip), value: undefined }] : [],
      });
    }),
  ];
};

const versions: Check = (job) => {
  const { view, fullPath, paths } = job;
  const unreadable = [...view.instances.values()].filter(({ readable }) => !readable);
  const sound = [...view.instances.values()].filter(({ readable, session }) => readable && session !== undefined);
  const ids = sound.map(({ jobInstanceId }) => jobInstanceId);
  const java = ids.filter((id) => view.javaPeers.has(id));
  const own = ids.filter((id) => !view.javaPeers.has(id));
  return [
    ...unreadable.map(({ jobInstanceId: id }) =>
      symptom(job, {
        ...{ type: 'unreadable-instance', code: 'unreadable-instance', values: { instanceId: id } },
        severity: 'critical',
        subject: id,
        sentence: `${fullPath(paths.instance(id))} does not describe an instance: ElasticJob before 3.0 leaves it empty, and its console overwrites it.`,
        consequence: 'That instance is given no items.',
        cure: 'Restart that instance with ElasticJob 3.0 or later; instances of this library mend their node by themselves.',
      }),
    ),
    ...(java.length > 0 && own.length > 0
      ? [
          symptom(job, {
            ...{ type: 'mixed-versions', code: 'mixed-versions', values: { java: java.length, node: own.length } },
            severity: 'notice',
            subject: listed(java),
            sentence: `Java and Node instances run the job together: ${java.length} and ${own.length}.`,
            consequence:
              'Java instances keep no record of their runs, so firings during a change of instances are not made up for.',
            cure: 'Fine during a migration (docs/running-beside-java.md); finish it before you rely on the guarantees of this library alone.',
          }),
        ]
      : []),
  ];
};

const clocks: Check = (job) => {
  const { view, registryTime } = job;
  if (registryTime === undefined) return [];
  return [...view.beginRecords].flatMap(([id, record]) => {
    const latest = Math.max(-Infinity, ...(record?.instants.values() ?? []));
    const aheadMs = latest - registryTime;
    if (aheadMs <= CLOCK_TOLERANCE_MS || isGone(view, id)) return [];
    return [
      symptom(job, {
        ...{ type: 'clock-ahead', code: 'clock-ahead' },
        values: { instanceId: id, instant: { instant: latest }, seconds: Math.round(aheadMs / 1_000) },
        severity: 'warning',
        subject: id,
        sentence: `${id} has begun items for ${new Date(latest).toISOString()}, which lies ${Math.round(aheadMs / 1_000)} s ahead of the clock of the registry centre.`,
        consequence: 'It fires too early, and peers do not run these items for instants that it has recorded already.',
        cure: 'Set the clock of that machine (NTP); maxTimeDiffSeconds keeps a job from running on such a machine.',
      }),
    ];
  });
};

/** The checks of a job as a whole. */
export const JOB_CHECKS: readonly Check[] = [
  configuration,
  schedule,
  instances,
  leader,
  persistentNodes,
  assignment,
  servers,
  versions,
  clocks,
];
