/**
 * Stores a job's settings. Settings in the registry centre take precedence over those given here, unless `overwrite` is
 * set (manual §6.2.2).
 */
import { InvalidConfigurationError } from '../../api/errors/errors.js';
import { isLostRace } from '../../api/errors/registry-errors.js';
import { type JobConfiguration } from '../../api/job/job-configuration.js';
import { fromYaml, keptFrom, toYaml } from '../../layout/job-configuration-yaml.js';
import { type JobContext } from '../job/job-context.js';
import { type Lineage } from '../../registry/registry-center.js';
import { unreadableConfiguration } from '../view/obstacles.js';
import { type JobDefinition } from '../job/job-definition.js';
import { settingDifferences } from '../job/setting-differences.js';
import { ownJobClass, requireSameJob } from './job-class.js';

type ConfigurationContext = Pick<JobContext, 'registry' | 'watch' | 'paths' | 'logger'>;

/** State of a job's stored settings when an instance starts. */
export type Established =
  /** `config` is in force; `isNew`: this instance has just stored it where there was none. */
  | { readonly type: 'usable'; readonly config: JobConfiguration; readonly isNew: boolean }
  /** The stored configuration cannot be used; `fault` says why, with the cure. */
  | { readonly type: 'unusable'; readonly fault: string };

/**
 * Stores the job's configuration if there is none, or if the job overwrites it.
 * @throws JobConflictError if the name is taken by another job
 */
export async function establishConfiguration(
  context: ConfigurationContext,
  definition: JobDefinition,
): Promise<Established> {
  const { registry, watch, paths } = context;
  const { configuration, compatibility = '3.0.5' } = definition;
  const jobClass = ownJobClass(definition);
  const ownYaml = toYaml(configuration, { compatibility });
  let isNew = await isStoredAnew(context, jobClass, ownYaml);
  if (!isNew) await registry.create(paths.root, jobClass);
  const view = await watch.sync();
  requireSameJob(view, { paths, nodes: watch.nodes.keys() }, definition);
  if (isNew && view.config !== undefined) return { type: 'usable', config: view.config, isNew };
  const stored = watch.nodes.get(paths.config)?.value;
  if (stored === undefined) isNew = await registry.create(paths.config, ownYaml);
  else if (configuration.overwrite) {
    const yaml = toYaml(configuration, { compatibility, ...keptFrom(stored, paths.config) });
    if (yaml !== stored) {
      await registry.put(paths.config, yaml);
      logOverwritten(context, stored, yaml);
    }
  }
  // After the configuration, as Java does: a root without text is a job that is still being set up.
  if (view.jobClass === undefined) await registry.put(paths.root, jobClass);

  const { config, configFault } = await watch.sync();
  if (config !== undefined) {
    if (!configuration.overwrite) logIgnored(context, config, configuration);
    return { type: 'usable', config, isNew };
  }
  const fault =
    configFault === undefined
      ? `${registry.fullPath(paths.config)}: the job's configuration was removed while the job was starting`
      : unreadableConfiguration(configFault, paths, (path) => registry.fullPath(path));
  return { type: 'unusable', fault };
}

/** Stores a job that is not there yet in one commit. @returns false if it is there, or the namespace is not */
async function isStoredAnew(
  { registry, watch, paths }: ConfigurationContext,
  jobClass: string,
  yaml: string,
): Promise<boolean> {
  if (watch.nodes.has(paths.root)) return false;
  try {
    await registry.commit([
      { type: 'create', path: paths.root, value: jobClass },
      { type: 'create', path: paths.config, value: yaml },
    ]);
    return true;
  } catch (error) {
    if (isLostRace(error)) return false;
    throw error;
  }
}

/**
 * Stores the job's configuration again if it is gone because the registry centre has come back empty, or from an old
 * backup. Otherwise changes nothing, not even with `overwrite`, because operators may have changed the settings since
 * the start.
 * @param known the tree in which the job was stored
 * @returns the configuration in force; the one given here while the stored one cannot be read; `undefined` if an
 *   operator has removed the job meanwhile
 */
export async function restoreConfiguration(
  context: ConfigurationContext,
  definition: JobDefinition,
  known: Lineage | undefined,
): Promise<JobConfiguration | undefined> {
  // The view may be from before the session was lost.
  const { config, configFault, exists } = await context.watch.sync();
  await context.watch.readAll();
  if (config !== undefined || configFault !== undefined) return config ?? definition.configuration;
  if (!exists && goesOn(known, await context.registry.lineage())) return undefined;
  const established = await establishConfiguration(context, definition);
  if (established.type === 'unusable') throw new InvalidConfigurationError([established.fault]);
  const { registry, paths, logger } = context;
  if (established.isNew)
    logger.warn(
      `the registry centre came back without ${registry.fullPath(paths.config)}; this instance has stored its own settings ` +
        `there. Changes that operators had made are lost: check the settings.`,
    );
  return established.config;
}

/** True if a tree is the one that was known, and no older. */
function goesOn(known: Lineage | undefined, present: Lineage | undefined): boolean {
  return known !== undefined && known.id === present?.id && known.changes <= present.changes;
}

/** If a user changes a setting and sees no effect, the log has the reason. */
function logIgnored({ logger, paths }: ConfigurationContext, holding: JobConfiguration, own: JobConfiguration): void {
  // Both as they are stored, where an empty text and an absent one are the same.
  const differences = settingDifferences(holding, fromYaml(toYaml(own), paths.config).configuration).filter(
    // A scheduled job without a cron expression is an error of its own.
    ({ key }) => key !== 'cron' || holding.cron !== undefined,
  );
  if (differences.length > 0) logger.event({ type: 'settings-ignored', differences });
}

function logOverwritten({ logger, paths }: ConfigurationContext, former: string, present: string): void {
  try {
    const [one, other] = [former, present].map((yaml) => fromYaml(yaml, paths.config).configuration);
    const differences = one && other ? settingDifferences(one, other) : [];
    if (differences.length > 0) logger.event({ type: 'settings-overwritten', differences });
  } catch (error) {
    // The overwrite has repaired settings that could not be read.
    if (!(error instanceof InvalidConfigurationError)) throw error;
  }
}
