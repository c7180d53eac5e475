/**
 * The problem with a text that contains placeholders: Spring's `${CRON}`, which is replaced in files that `elasticJobConfig()` reads,
 * or `$(CRON)`, which Kubernetes replaces.
 * @returns the problem, as a requirement, or undefined
 */
export function placeholderProblem(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const start = value.indexOf('${');
  if (start >= 0 && value.includes('}', start))
    return 'must not have placeholders such as ${…}, which are replaced in files only';
  const [name] = /\$\([A-Za-z_][\w.-]{0,79}\)/.exec(value) ?? [];
  return (
    name &&
    `must not have ${name}, which Kubernetes leaves as it is if the container has no variable of that name, or only further below; define that variable first`
  );
}
