import { describeValue } from '../../api/text/describe-value.js';
import {
  type AnyJobListener,
  listenerProblem,
  isDistributeOnce,
  LOWEST_ORDER,
} from '../../api/extensions/job-listener.js';
import { type FoundProvider } from '../elastic-job.explorer.js';

/** A listener with its type and the provider or option that defined it. */
interface DefinedListener {
  readonly type: string;
  readonly listener: AnyJobListener;
  readonly owner: string;
}

/**
 * The listeners that decorators and options define together, and the problems with them, one line each.
 * @param given the listeners of `forRoot()`, which have been checked one by one
 */
export function defineListeners(
  providers: readonly FoundProvider[],
  given: readonly AnyJobListener[],
): { readonly listeners: readonly AnyJobListener[]; readonly problems: readonly string[] } {
  const problems: string[] = [];
  const defined = given.map((listener) => ({ type: listener.type ?? '', listener, owner: "forRoot()'s listeners" }));
  for (const provider of providers) {
    const found = provider.listener === undefined ? undefined : listenerOf(provider, provider.listener.type);
    if (typeof found === 'string') problems.push(found);
    else if (found !== undefined) defined.push(found);
  }
  return { listeners: defined.map(({ listener }) => listener), problems: [...problems, ...typeProblems(defined)] };
}

/** @returns the provider as a listener, or the problem with it, a complete line */
function listenerOf(
  { className, label, instance, scopeProblem }: FoundProvider,
  type: unknown,
): DefinedListener | string {
  if (typeof type !== 'string' || type.trim() === '')
    return `@JobListener on ${className}: the listener's type must be a text that is not empty, got ${describeValue(type)}`;
  const path = `@JobListener(${describeValue(type)})`;
  if (scopeProblem !== undefined)
    return `${path}: ${label} cannot be a listener: it ${scopeProblem}, and a job runs outside of any request`;
  const problem = listenerProblem(instance);
  if (problem !== undefined) return `${path}: ${label} cannot be a listener: it ${problem}`;
  return { type, listener: named(type, instance as AnyJobListener), owner: label };
}

function typeProblems(defined: readonly DefinedListener[]): readonly string[] {
  const owners = new Map<string, string[]>();
  for (const { type, owner } of defined)
    owners.set(type.toUpperCase(), [...(owners.get(type.toUpperCase()) ?? []), owner]);
  return [...owners]
    .filter(([, labels]) => labels.length > 1)
    .map(
      ([type, labels]) => `The job listener ${type} is defined ${labels.length} times: by ${labels.join(' and by ')}`,
    );
}

/**
 * The listener with the decorator's type. It delegates: an object derived from the listener could not reach private
 * members.
 */
function named(type: string, listener: AnyJobListener): AnyJobListener {
  const order = (): number => listener.order?.() ?? LOWEST_ORDER;
  if (isDistributeOnce(listener))
    return {
      type,
      order,
      startedTimeoutMilliseconds: listener.startedTimeoutMilliseconds,
      completedTimeoutMilliseconds: listener.completedTimeoutMilliseconds,
      doBeforeJobExecutedAtLastStarted: (contexts) => listener.doBeforeJobExecutedAtLastStarted(contexts),
      doAfterJobExecutedAtLastCompleted: (contexts) => listener.doAfterJobExecutedAtLastCompleted(contexts),
    };
  return {
    type,
    order,
    beforeJobExecuted: (contexts) => listener.beforeJobExecuted(contexts),
    afterJobExecuted: (contexts) => listener.afterJobExecuted(contexts),
  };
}
