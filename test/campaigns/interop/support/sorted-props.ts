/**
 * A stored configuration with its properties in the order of their names. Each begins with its name, or with `?`,
 * indented by two. Java has the order of its hash table, which is another one in Java 8 than today; Node that in which
 * they were set.
 */
export function withSortedProps(yaml: string): string {
  return yaml.replace(/(?<=\nprops:\n)(( {2}.*)?\n)+/, (block) => {
    const entries = block.split(/^(?= {2}[^ :])/m);
    return entries.sort().join('');
  });
}
