/**
 * The types that a YAML 1.1 reader gives to texts without quotes, as SnakeYAML 2.2 decides them. The writer quotes
 * texts that would not come back as text; the reader recognises numbers and flags by the same rules.
 */

/** True if an unquoted `text` is read as text, and not as a number, a flag, a time, a merge key or nothing. */
export function isReadAsText(text: string): boolean {
  return !(
    isNull(text) ||
    BOOLEAN.test(text) ||
    text === '<<' ||
    (text.length <= 50 && TIMESTAMP.test(text)) ||
    (text.length <= 1024 && (INTEGER.test(text) || FLOAT.test(text)))
  );
}

/** True if an unquoted `text` means that there is no value. */
export function isNull(text: string): boolean {
  return /^(?:~|null|Null|NULL|)$/.test(text);
}

/** `true` and `false` in all spellings that Java takes for flags (quoted or not), `undefined` for anything else. */
export function toBoolean(text: string): boolean | undefined {
  const lower = text.toLowerCase();
  if (lower === 'true' || lower === 'yes' || lower === 'on') return true;
  return lower === 'false' || lower === 'no' || lower === 'off' ? false : undefined;
}

/** The integer that YAML 1.1 reads in `text`: decimal, 0b…, 0…(octal), 0x…, base 60, with underscores. */
export function toInteger(text: string): bigint | undefined {
  if (!INTEGER.test(text)) return undefined;
  const digits = text.replaceAll(/[-+_]/g, '');
  const magnitude = digits.includes(':') ? fromBase60(digits) : BigInt(digits.replace(/^0(?=[0-7])/, '0o'));
  return text.startsWith('-') ? -magnitude : magnitude;
}

function fromBase60(digits: string): bigint {
  return digits.split(':').reduce((sum, digit) => sum * 60n + BigInt(digit), 0n);
}

const BOOLEAN = /^(?:yes|Yes|YES|no|No|NO|true|True|TRUE|false|False|FALSE|on|On|ON|off|Off|OFF)$/;

const INTEGER =
  /^(?:[-+]?0b_*[01][01_]*|[-+]?0_*[0-7][0-7_]*|[-+]?(?:0|[1-9][0-9_]*)|[-+]?0x_*[0-9a-fA-F][0-9a-fA-F_]*|[-+]?[1-9][0-9_]*(?::[0-5]?[0-9])+)$/;

const FLOAT =
  /^(?:[-+]?[0-9][0-9_]*\.[0-9_]*(?:[eE][-+]?[0-9]+)?|[-+]?[0-9][0-9_]*[eE][-+]?[0-9]+|[-+]?\.[0-9_]+(?:[eE][-+]?[0-9]+)?|[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/;

const TIMESTAMP =
  /^(?:\d{4}-\d{2}-\d{2}|\d{4}-\d{1,2}-\d{1,2}(?:[Tt]|[ \t]+)\d{1,2}:\d{2}:\d{2}(?:\.\d*)?(?:[ \t]*(?:Z|[-+]\d{1,2}(?::\d{2})?))?)$/;
