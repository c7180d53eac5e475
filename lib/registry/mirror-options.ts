import { aFunction, checkOptions, type OptionRules } from '../api/settings/call-options.js';
import { type MirrorOptions } from './registry-center.js';

const RULES: OptionRules<MirrorOptions> = { presenceOnly: aFunction, isRoutine: aFunction };

/** @throws InvalidConfigurationError if an option of a mirror is unknown or of a wrong kind */
export function checkMirrorOptions(options: MirrorOptions = {}): void {
  checkOptions('mirror()', options, RULES);
}
