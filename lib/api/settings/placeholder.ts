import { type Wording, wording } from '../../wording/wording.js';

/**
 * The problem with a text that contains placeholders: Spring's `${CRON}`, which is replaced in files that
 * `elasticJobConfig()` reads, or `$(CRON)`, which Kubernetes replaces.
 * @returns the problem, as a requirement, or undefined
 */
export function placeholderProblem(value: unknown): Wording | undefined {
  if (typeof value !== 'string') return undefined;
  const start = value.indexOf('${');
  if (start >= 0 && value.includes('}', start)) return wording('placeholder-spring');
  const [name] = /\$\([A-Za-z_][\w.-]{0,79}\)/.exec(value) ?? [];
  return name === undefined ? undefined : wording('placeholder-kubernetes', { name });
}
