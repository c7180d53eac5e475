import { type Section } from './binding.js';

/** An object of settings with the values of a section, unchecked. */
export function filled<Settings extends object>(settings: Settings, section: Section): Settings {
  return Object.assign(settings, Object.fromEntries(section));
}
