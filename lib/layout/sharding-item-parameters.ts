import { inEnglish } from '../wording/wording.js';
import { InvalidConfigurationError } from '../api/errors/errors.js';
import { isJsonOfItems, jsonOfItems } from '../api/job/sharding-item-parameters.js';

/**
 * Reads `0=Beijing,1=Shanghai`, the parameters of a stored configuration, by item, exactly as Java 3.0 reads it when a
 * job fires: pieces are trimmed, empty pieces at the end do not count, the later one of two entries for an item wins,
 * and items that the job does not have are not refused. A text that begins with `{` is JSON, which Java refuses. (New
 * settings are checked more strictly: `itemParametersProblem`.)
 * @throws InvalidConfigurationError with Java's messages, except for JSON
 */
export function readItemParameters(text: string): ReadonlyMap<number, string> {
  if (text === '') return new Map();
  if (isJsonOfItems(text)) {
    const parameters = jsonOfItems(text);
    if (!('code' in parameters)) return parameters;
    throw new InvalidConfigurationError([
      `Sharding item parameters '${text}' cannot be used: the text ${inEnglish(parameters)}.`,
    ]);
  }
  return new Map(split(text, ',').map((piece) => entry(piece, text)));
}

function entry(piece: string, text: string): readonly [item: number, parameter: string] {
  const [key, value, ...rest] = split(trim(piece), '=');
  if (key === undefined || value === undefined || rest.length > 0) {
    throw new InvalidConfigurationError([`Sharding item parameters '${text}' format error, should be int=xx,int=xx`]);
  }
  const item = /^[-+]?\d+$/.test(trim(key)) ? Number(trim(key)) : NaN;
  if (item !== (item | 0)) {
    throw new InvalidConfigurationError([`Sharding item parameters key '${key}' is not an integer.`]);
  }
  return [item, trim(value)];
}

/** Java's `String.split` for a text that is not empty: empty pieces at the end are dropped. */
function split(text: string, separator: string): readonly string[] {
  const pieces = text.split(separator);
  const last = pieces.findLastIndex((piece) => piece !== '');
  return pieces.slice(0, last + 1);
}

/** Java's `String.trim`. */
function trim(text: string): string {
  // eslint-disable-next-line no-control-regex
  return text.replace(/^[\u0000- ]+|(?<![\u0000- ])[\u0000- ]+$/g, '');
}
