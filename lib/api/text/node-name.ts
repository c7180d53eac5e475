// Its rule is about UTF-16 units, so each half of a surrogate pair is meant.
// eslint-disable-next-line no-control-regex
const REFUSED = /[\u0000-\u001f\u007f-\u009f\ud800-\uf8ff\ufff0-\uffff]/;

/**
 * True if a name or a path contains characters that ZooKeeper accepts in none: control characters, private use,
 * specials, and all beyond U+FFFF, such as emoji.
 */
export function hasRefusedCharacters(text: string): boolean {
  return REFUSED.test(text);
}

/** True if a text can be the address of a server, after which its node is named. */
export function isServerIp(text: string): boolean {
  return text !== '' && !text.includes('/') && !hasRefusedCharacters(text);
}
