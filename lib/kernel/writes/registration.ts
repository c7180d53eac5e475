/**
 * Making a job and this instance known. What the registry centre has comes before what is given here, unless `overwrite`
 * is set (manual §6.2.2); an operator's decision about a server outlives a restart of its instances.
 */
import { InvalidConfigurationError, JobConflictError, RegistryConflictError } from '../../api/errors.js';
import { type JobConfiguration } from '../../api/job-configuration.js';
import { type JobInstance } from '../../api/sharding-strategy.js';
import { fromYaml, toYaml, type ToYamlOptions } from '../../layout/job-configuration-yaml.js';
import { instanceYaml } from '../../layout/job-instance.js';
import { type JobPaths } from '../../layout/job-paths.js';
import { type ItemView } from '../../layout/job-view.js';
import { type Operation, type RegistryCenter } from '../../registry/registry-center.js';
import { reportOperations } from './takeover.js';
import { type JobDefinition } from '../job-definition.js';
import { type JobWatch } from '../view/job-watch.js';
import { failsOver } from '../view/items.js';

/** What registering needs. */
export interface RegistrationDeps {
  readonly registry: RegistryCenter;
  readonly watch: JobWatch;
  readonly paths: JobPaths;
  readonly instance: JobInstance;
}

/** How often a registration is tried again when others change the same nodes at the same moment. */
const ATTEMPTS = 10;

/**
 * Stores the job's configuration if there is none or it is to be overwritten, and returns the one that holds.
 * @throws JobConflictError if the name is taken by another job class
 * @throws InvalidConfigurationError if the stored configuration cannot be used and is not to be overwritten
 */
export async function establishConfiguration(
  { registry, watch, paths }: RegistrationDeps,
  { configuration, jobClassName, compatibility = '3.0.5' }: JobDefinition,
): Promise<JobConfiguration> {
  await registry.create(paths.root, jobClassName);
  const view = await watch.sync();
  if (view.jobClass !== undefined && view.jobClass !== jobClassName) {
    throw new JobConflictError(
      `Job conflict with register center. The job '${paths.jobName}' in register center's class is '${view.jobClass}', ` +
        `your job class is '${jobClassName}'. Set jobClassName to the former if they are the same job, or rename one of them.`,
    );
  }
  const stored = watch.nodes.get(paths.config)?.value;
  if (stored === undefined) await registry.create(paths.config, toYaml(configuration, { compatibility }));
  else if (configuration.overwrite) {
    const yaml = toYaml(configuration, { compatibility, ...keptFrom(stored, paths) });
    if (yaml !== stored) await registry.put(paths.config, yaml);
  }
  // After the configuration, as Java does: a root without text is a job that is still being set up.
  if (view.jobClass === undefined) await registry.put(paths.root, jobClassName);

  const { config, configFault } = await watch.sync();
  if (config !== undefined) return config;
  throw new InvalidConfigurationError([
    configFault ?? `${paths.config}: the job's configuration was removed while the job was starting`,
  ]);
}

/** How an instance comes to register. */
export interface Arrival {
  /** Whether it takes part for the first time, or has lost its session. */
  readonly occasion: 'start' | 'return';
  /** Items that may still bear its marks although their runs have ended. */
  readonly endedItems: readonly number[];
}

/**
 * Registers this instance and its server for as long as the session lives. Registers nothing that is there already. Runs
 * that an earlier session of this instance has left unfinished are told as crashed in the same moment: from then on nobody
 * could tell them from living ones.
 */
export async function registerInstance(
  ports: RegistrationDeps,
  config: JobConfiguration,
  arrival: Arrival,
): Promise<void> {
  if (arrival.occasion === 'return') {
    // What it shows may be from before the session was lost.
    await ports.watch.sync();
    await ports.watch.readAll();
  }
  for (let attempt = 1; ; attempt++) {
    const operations = registrationOperations(ports, config, arrival);
    if (operations.length === 0) return;
    try {
      await createParents(ports, arrival);
      await ports.registry.commit(operations);
      await ports.watch.sync();
      return;
    } catch (error) {
      if (!(error instanceof RegistryConflictError) || attempt === ATTEMPTS) throw error;
      await ports.watch.sync();
      await ports.watch.readAll();
    }
  }
}

/**
 * Makes this instance's nodes that have been removed anew; all but the one whose removal ends it, and only while that stands:
 * of a job that is being removed nothing is made anew.
 * @throws RegistryConflictError if it does not, or others have made them
 */
export async function restoreOwnNodes({ registry, watch, paths, instance }: RegistrationDeps): Promise<void> {
  const id = instance.jobInstanceId;
  const wanted: readonly Extract<Operation, { type: 'create' }>[] = [
    { type: 'create', path: paths.servers, value: '' },
    { type: 'create', path: paths.server(instance.serverIp), value: 'ENABLED' },
    { type: 'create', path: paths.own, value: '' },
    { type: 'create', path: paths.lives, value: '' },
    { type: 'create', path: paths.live(id), value: '', lifetime: 'session' },
    { type: 'create', path: paths.beginRecords, value: '' },
    { type: 'create', path: paths.beginRecord(id), value: '' },
  ];
  const missing = wanted.filter(({ path }) => !watch.nodes.has(path));
  await registry.commit([{ type: 'check', path: paths.instance(id) }, ...missing]);
}

/** Withdraws this instance, and its leadership if it has it, so that peers take over at once. */
export async function withdrawInstance({ registry, watch, paths, instance }: RegistrationDeps): Promise<void> {
  const isLeader = watch.view.leader === instance.jobInstanceId;
  const own = ownNodes(paths, instance.jobInstanceId);
  const leaving = isLeader ? [paths.leader, ...own] : own;
  try {
    await registry.commit(leaving.map((path): Operation => ({ type: 'remove', path })));
  } catch (error) {
    if (!(error instanceof RegistryConflictError)) throw error;
    // One of them is gone already; the others must go too.
    for (const path of leaving) await registry.remove(path);
  }
}

/**
 * Removes the marks of runs that have ended, if they are still this instance's. Peers would take what it leaves behind for
 * cut short, and run it again.
 */
export async function removeEndedMarks(
  { registry, watch, paths, instance }: RegistrationDeps,
  endedItems: readonly number[],
): Promise<void> {
  if (endedItems.length === 0) return;
  await watch.sync();
  await watch.readAll();
  const id = instance.jobInstanceId;
  const ended = itemsOf(watch, id).filter(({ item }) => endedItems.includes(item));
  const isDead = (runner: string): boolean => runner === id;
  const operations = ended.flatMap((item) => reportOperations({ watch, paths, item, isDead, isToWait: false }));
  if (operations.length > 0) await registry.commit(operations);
}

/** Items that bear a mark of the instance. */
function itemsOf({ view }: JobWatch, id: string): readonly ItemView[] {
  return view.items.filter(({ runningOn, takenOverBy, failoveringBy }) =>
    [runningOn, takenOverBy, failoveringBy].includes(id),
  );
}

/** What says that an instance takes part. */
export function ownNodes(paths: JobPaths, id: string): readonly string[] {
  return [paths.instance(id), paths.live(id)];
}

function registrationOperations(
  { watch, paths, instance, registry }: RegistrationDeps,
  config: JobConfiguration,
  { occasion, endedItems }: Arrival,
): readonly Operation[] {
  const operations: Operation[] = [];
  const id = instance.jobInstanceId;
  const server = paths.server(instance.serverIp);
  const status = watch.view.servers.get(instance.serverIp);
  const wanted = occasion === 'start' ? wantedStatus(status, config) : (status ?? 'ENABLED');
  if (status === undefined) operations.push({ type: 'create', path: server, value: wanted });
  else if (status !== wanted) operations.push({ type: 'set', path: server, value: wanted });

  const { state } = registry.session;
  const session = state.phase === 'connected' ? state.id : undefined;
  for (const path of ownNodes(paths, id)) {
    const node = watch.nodes.get(path);
    if (node !== undefined && node.session === session) continue;
    // A node of an earlier session would vanish when the server notices that session's end.
    if (node !== undefined) operations.push({ type: 'remove', path, version: node.version });
    const value = path === paths.instance(id) ? instanceYaml(instance) : '';
    operations.push({ type: 'create', path, value, lifetime: 'session' });
  }
  // From the first on, for one who has no record is taken for one who keeps none.
  const path = paths.beginRecord(id);
  const record = watch.nodes.get(path);
  if (record === undefined) operations.push({ type: 'create', path, value: '' });
  // Its new version keeps a run from beginning that an earlier session has asked for and that is still on its way.
  else if (operations.length > 0 && occasion === 'return')
    operations.push({ type: 'set', path, value: record.value ?? '', version: record.version });
  return operations.length === 0 ? [] : [...operations, ...unfinishedOperations({ watch, paths, id, endedItems })];
}

/** Puts an end to what an earlier session of this instance was running. */
function unfinishedOperations({
  watch,
  paths,
  id,
  endedItems,
}: Pick<RegistrationDeps, 'watch' | 'paths'> &
  Pick<Arrival, 'endedItems'> & { readonly id: string }): readonly Operation[] {
  const { view } = watch;
  return itemsOf(watch, id).flatMap((item): readonly Operation[] => {
    const isUnfinished = failsOver(view) && !endedItems.includes(item.item);
    const isToWait = isUnfinished && !view.crashedItems.includes(item.item);
    return reportOperations({ watch, paths, item, isDead: (runner) => runner === id, isToWait });
  });
}

/** `disabled` disables the server at each start, as in Java; what an operator has disabled stays so unless `overwrite` is set. */
function wantedStatus(status: string | undefined, config: JobConfiguration): 'ENABLED' | 'DISABLED' {
  if (config.disabled) return 'DISABLED';
  return status === 'DISABLED' && !config.overwrite ? 'DISABLED' : 'ENABLED';
}

async function createParents({ registry, watch, paths }: RegistrationDeps, { occasion }: Arrival): Promise<void> {
  const parents = [paths.instances, paths.servers, paths.beginRecords, paths.lives];
  // Only one who comes back can have left a run behind.
  if (occasion === 'return') parents.push(paths.crashedItems, paths.crashReports);
  const missing = parents.filter((path) => !watch.nodes.has(path));
  await Promise.all(missing.map((path) => registry.create(path, '')));
}

/** What Java peers have stored and we have no name for: their tracing settings, their spelling of the thread-pool setting. */
function keptFrom(stored: string, paths: JobPaths): ToYamlOptions {
  try {
    const { extraConfigurations, threadPoolKey } = fromYaml(stored, paths.config);
    if (threadPoolKey === undefined) return { extraConfigurations };
    return {
      extraConfigurations,
      compatibility: threadPoolKey === 'jobExecutorServiceHandlerType' ? '3.0.4' : '3.0.5',
    };
  } catch (error) {
    // What cannot be read cannot be kept, and overwriting is the way to repair it.
    if (error instanceof InvalidConfigurationError) return {};
    throw error;
  }
}
