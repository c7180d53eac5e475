import { type SettingProblem, type Wording } from '../../contract/common.js';
import { dateTime, viewerZone } from './format.js';
import { t, tOr } from './i18n.js';

type Value = Wording['values'][string];

/**
 * The server's sentence in the reader's language: the text for its code, with its values in it. `sentence` if there is
 * no such text, or if a value of the text is missing.
 */
export function worded(
  group: string,
  { code, values }: Wording,
  { sentence, zone }: { readonly sentence: string; readonly zone?: string | undefined },
): string {
  const text = tOr(`${group}.${code}`, '');
  if (text === '' || valuesIn(text).some((name) => !(name in values))) return sentence;
  const said = text.replace(PLACE, (whole, name: string) => {
    const value = values[name];
    return value === undefined ? whole : shown(value, zone);
  });
  // A clause may end the sentence itself, with the question if another name was meant.
  return said.replace(/？。$/, '？');
}

/** The server's sentence about an input. It is English already, so the English texts have none for it. */
export function clause(wording: Wording | undefined, sentence: string): string {
  return wording === undefined ? sentence : worded('clause', wording, { sentence });
}

/** The sentence about the problem of a setting. */
export const said = ({ message, wording }: SettingProblem): string => clause(wording, message);

/** The values that the text for a code contains. */
export function saidBy(group: string, { code }: Wording): ReadonlySet<string> {
  return new Set(valuesIn(tOr(`${group}.${code}`, '')));
}

/** A value for people: an instant in their own time zone, with the job's if that differs. */
export function shown(value: Value, zone?: string): string {
  if (typeof value !== 'object') return String(value);
  if ('code' in value) return clause(value, '');
  const own = dateTime(value.instant, viewerZone);
  if (zone === undefined || zone === '') return own;
  const there = inZone(value.instant, zone);
  return there === undefined || there === own ? own : `${own} (${t('fires.jobZone', { zone })}: ${there})`;
}

/** The instant in a zone; `undefined` if the browser does not know the zone, although Node does. */
function inZone(instant: number, zone: string): string | undefined {
  try {
    return dateTime(instant, zone);
  } catch {
    return undefined;
  }
}

const PLACE = /\{(\w+)\}/g;
const valuesIn = (text: string): readonly string[] => [...text.matchAll(PLACE)].map(([, name = '']) => name);
