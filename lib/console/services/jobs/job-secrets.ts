/** Secrets among a job's properties: shown as asterisks, and kept where asterisks come back. */
import { withoutSecrets } from '../../../api/text/masks.js';
import { isSecret } from '../../../operations/setting-changes.js';

/** What stands in the place of a secret. */
export const HIDDEN = '******';

type Props = Readonly<Record<string, string>>;

/** Properties with asterisks in the place of secrets. */
export function maskedProps(props: Props): Props {
  return Object.fromEntries(Object.entries(props).map(([name, value]) => [name, maskedValue(`props.${name}`, value)]));
}

/** The value of a setting without secrets. */
export function maskedValue(setting: string, value: string): string {
  return isSecret(setting) && value !== '' ? HIDDEN : withoutSecrets(value);
}

/** Properties as they are to be stored: what is still as it was shown is what it was. */
export function unmaskedProps(props: Props, stored: Props): Props {
  return Object.fromEntries(
    Object.entries(props).map(([name, value]) => {
      const before = Object.hasOwn(stored, name) ? stored[name] : undefined;
      const isKept = before !== undefined && value.includes(HIDDEN) && value === maskedValue(`props.${name}`, before);
      return [name, isKept ? before : value];
    }),
  );
}

/** The names of properties that would be stored as asterisks, because there is no secret that they could stand for. */
export function strayMasks(props: Props): readonly string[] {
  return Object.entries(props).flatMap(([name, value]) => (value.includes(HIDDEN) ? [name] : []));
}
