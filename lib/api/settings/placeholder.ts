/** The problem with a text that contains Spring's placeholders. They are replaced in files that `elasticJobConfig()` reads. */
export const NO_PLACEHOLDERS = 'must not contain placeholders, which are replaced in files only';

/** Whether a text contains a placeholder of Spring, such as `${CRON}`. */
export function hasPlaceholder(text: unknown): boolean {
  const start = typeof text === 'string' ? text.indexOf('${') : -1;
  return typeof text === 'string' && start >= 0 && text.includes('}', start);
}
