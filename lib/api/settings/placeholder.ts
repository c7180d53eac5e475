/** The problem with a text that contains Spring's placeholders. A file that a Java application shares may have them. */
export const NO_PLACEHOLDERS = "must not contain Spring's placeholders, which are not replaced here";

/** Whether a text contains a placeholder of Spring, such as `${CRON}`. */
export function hasPlaceholder(text: unknown): boolean {
  return typeof text === 'string' && /\$\{[^}]*\}/.test(text);
}
