/** Java's `String.hashCode`: a signed 32-bit number that the name-based strategies must compute as Java peers do. */
export function javaStringHash(text: string): number {
  let hash = 0;
  for (let index = 0; index < text.length; index++) hash = (Math.imul(31, hash) + text.charCodeAt(index)) | 0;
  return hash;
}

/**
 * Rotates `list` to the left by |hash| mod its length; unlike Java's, this also holds for −2³¹, whose absolute value
 * overflows there.
 */
export function rotateByHash<T>(list: readonly T[], hash: number): readonly T[] {
  const offset = Math.abs(hash) % list.length;
  return [...list.slice(offset), ...list.slice(0, offset)];
}
