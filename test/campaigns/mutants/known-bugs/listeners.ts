import { type Mutant } from '../mutant.js';

/** Listeners that are to be called once in the cluster. */
export const listeners: readonly Mutant[] = [
  {
    threads: ['EJ487', 'EJ1879'],
    name: 'all-instances-call',
    bug: 'Each instance that finds the round complete calls the listener.',
    first: 'unit/kernel/once/distribute-once.spec.ts',
    edits: [{ file: 'kernel/once/once-callback.ts', find: '    if (!isOurs) return false;\n', replace: '' }],
  },
  {
    threads: ['EJ271', 'EJ631'],
    name: 'called-before-all-have-arrived',
    bug: 'The listener is called when the first instance has completed its items.',
    first: 'unit/kernel/once/distribute-once.spec.ts',
    edits: [
      {
        file: 'kernel/once/round-progress.ts',
        find: '    const missing = this.#missing(view, round);',
        replace: '    const missing = this.#missing(view, round).slice(Infinity);',
      },
    ],
  },
  {
    threads: ['EJ512', 'EJ1689'],
    name: 'disabled-items-are-waited-for',
    bug: 'A round waits for items that an operator has disabled.',
    first: 'unit/kernel/once/distribute-once.spec.ts',
    edits: [
      {
        file: 'kernel/once/missing-items.ts',
        find: 'if (item.disabled || owner === undefined) return undefined;',
        replace: 'if (item.disabled && owner === undefined) return undefined;',
      },
    ],
  },
  {
    threads: ['EJ2032'],
    name: 'absent-are-waited-for',
    bug: 'A round waits without end for an item whose owner lives and does not begin it.',
    first: 'unit/kernel/once/distribute-once.spec.ts',
    edits: [
      {
        file: 'kernel/once/round-progress.ts',
        find: "return why === 'running' || why === 'busy' ? Infinity : sinceMs + LATE_ITEM_DEADLINE_MS;",
        replace: 'return Infinity;',
      },
    ],
  },
  {
    threads: ['EJ1502'],
    name: 'one-barrier-for-all-jobs',
    bug: 'All jobs of a process report to the barrier of the job that started last.',
    first: 'unit/kernel/once/distribute-once.spec.ts',
    edits: [
      {
        file: 'kernel/run/job-listeners.ts',
        find: '  readonly #deps: JobListenersDeps;',
        replace:
          '  static shared: JobListenersDeps;\n  get #deps(): JobListenersDeps {\n    return JobListeners.shared;\n  }',
      },
      {
        file: 'kernel/run/job-listeners.ts',
        find: 'this.#deps = deps;',
        replace: 'JobListeners.shared = deps;',
      },
    ],
  },
  {
    threads: ['EJ2142'],
    name: 'timeout-is-ignored',
    bug: 'An instance waits for all items without end, whatever the timeout.',
    first: 'unit/kernel/once/distribute-once.spec.ts',
    edits: [
      {
        file: 'kernel/once/barrier-wait.ts',
        find: 'return timeoutMs > 0 ? (this.#callSince ?? this.#since) + timeoutMs : Infinity;',
        replace: 'return timeoutMs > Infinity ? (this.#callSince ?? this.#since) : Infinity;',
      },
    ],
  },
];
