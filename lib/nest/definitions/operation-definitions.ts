import { type OperationListener } from '../../api/events/operation-record.js';
import { type FoundProvider } from '../elastic-job.explorer.js';

/** The listeners of operations that decorators define. `problems`: one line each. */
export function defineOperationListeners(providers: readonly FoundProvider[]): {
  readonly listeners: readonly OperationListener[];
  readonly problems: readonly string[];
} {
  const decorated = providers.filter(({ isOperationListener }) => isOperationListener);
  return {
    listeners: decorated.map(({ instance }) => instance as OperationListener),
    problems: decorated.flatMap((provider) => problemOf(provider) ?? []),
  };
}

function problemOf({ className, label, instance, scopeProblem }: FoundProvider): string | undefined {
  const path = `@OperationListener() on ${className}`;
  if (scopeProblem !== undefined)
    return `${path}: ${label} cannot be a listener of operations: it ${scopeProblem}, and operations need no request`;
  return typeof (instance as Partial<OperationListener> | undefined)?.onOperation === 'function'
    ? undefined
    : `${path}: ${label} cannot be a listener of operations: it has no method onOperation()`;
}
