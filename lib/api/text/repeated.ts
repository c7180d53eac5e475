/** The texts that occur more than once, each of them once, in the order in which they occur again. */
export function repeated(texts: readonly string[]): readonly string[] {
  const known = new Set<string>();
  const again = new Set<string>();
  for (const text of texts) {
    if (known.has(text)) again.add(text);
    known.add(text);
  }
  return [...again];
}
