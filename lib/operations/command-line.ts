/** A command of `npx elasticjob` that a reader can paste into a shell. */
export function commandLine(...words: readonly string[]): string {
  return ['npx elasticjob', ...words.map(inShell)].join(' ');
}

const PLAIN = /^[\w.:@%+,/-]+$/;

/** The word as it is, or quoted for POSIX shells if it has characters that a shell would interpret. */
function inShell(word: string): string {
  if (PLAIN.test(word)) return word;
  return `'${word.replaceAll("'", "'\\''")}'`;
}
