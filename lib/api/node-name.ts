// ZooKeeper's own check is about UTF-16 units, so it refuses all surrogates, and with them all emoji.
// eslint-disable-next-line no-control-regex
const REFUSED = /[\u0000-\u001f\u007f-\u009f\ud800-\uf8ff\ufff0-\uffff]/;

/**
 * Whether a text has characters that ZooKeeper refuses in names of nodes: control characters, emoji and other
 * characters beyond U+FFFF, private use, specials. Java peers may be on ZooKeeper, so the rule holds for all registries.
 */
export function hasRefusedCharacter(text: string): boolean {
  return REFUSED.test(text);
}
