import { settingsFound } from '../connection/settings-sources.js';
import { registrySettings } from '../connection/registry-settings.js';
import { CommandError, EXIT } from '../exit-codes.js';
import { type Invocation } from '../invocation.js';
import { type RegCenterSettings } from '../../settings/reg-center-settings.js';

/** The options that name the two registry centres of a copy. */
export interface PlaceOptions {
  /** Address of the registry centre that has the jobs. Default: that of the settings. */
  readonly from?: string;
  /** Address of the other registry centre, or its name in the settings; not needed if `toConfig` has it. */
  readonly to?: string;
  /** Namespace in the other registry centre. Default: that of its settings, if `to` is a name; otherwise the same. */
  readonly toNamespace?: string;
  /** File with the settings of the other registry centre, which are then all that is known of it. */
  readonly toConfig?: string;
}

/**
 * The settings of both registry centres. Options such as `--tls-ca` are those of the source.
 * @throws CommandError if one of them is not named, or the source is named twice
 * @throws InvalidConfigurationError naming all problems of the settings
 */
export function placesOf(
  { options, settings, surroundings }: Invocation,
  { from, to, toNamespace, toConfig }: PlaceOptions,
): { readonly source: RegCenterSettings; readonly target: RegCenterSettings } {
  if (from !== undefined && (options.registry ?? options.servers) !== undefined)
    throw new CommandError(EXIT.usage, '--from and --registry (or --servers) both name the source: give one of them.');
  if (to === undefined && toConfig === undefined)
    throw new CommandError(
      EXIT.usage,
      'Copy to which registry centre? Name it by --to postgres://user@host/database, or its settings by --to-config file.yaml.',
    );
  const source = registrySettings(
    { ...options, ...(from !== undefined && { registry: from }) },
    settings,
    surroundings,
  );
  const { color, timeout } = options;
  const usualNamespace = toConfig === undefined ? source.namespace : undefined;
  const found = toConfig === undefined ? settings : settingsOf(toConfig, surroundings);
  const given = {
    ...(to !== undefined && { registry: to }),
    ...(toNamespace !== undefined && { namespace: toNamespace }),
  };
  return { source, target: registrySettings({ color, timeout, usualNamespace, ...given }, found, surroundings) };
}

/** The settings of a file alone: variables of the environment are about the application's own registry centre. */
function settingsOf(config: string, surroundings: Invocation['surroundings']): Invocation['settings'] {
  return { ...settingsFound({ config }, surroundings), environment: {} };
}
