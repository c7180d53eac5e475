import { type Mutant } from '../mutant.js';

/** Listeners that are to be called once in the cluster. */
export const listeners: readonly Mutant[] = [
  {
    threads: ['EJ487', 'EJ1879'],
    name: 'all-instances-call',
    bug: 'Each instance that finds the round complete calls the listener.',
    first: 'kernel/distribute-once.spec.ts',
    edits: [{ file: 'kernel/once/once-callback.ts', find: '    if (!isOurs) return false;\n', replace: '' }],
  },
  {
    threads: ['EJ271', 'EJ631'],
    name: 'called-before-all-have-arrived',
    bug: 'The listener is called when the first instance has completed its items.',
    first: 'kernel/distribute-once.spec.ts',
    edits: [
      {
        file: 'kernel/once/barrier-wait.ts',
        find: '#decideBy(missing: readonly MissingItem[]): Decision {',
        replace:
          "#decideBy(missing: readonly MissingItem[]): Decision {\n    if (missing.length >= 0) return { type: 'complete' };",
      },
    ],
  },
  {
    threads: ['EJ512', 'EJ1689'],
    name: 'disabled-items-are-waited-for',
    bug: 'A round waits for items that an operator has disabled.',
    first: 'kernel/distribute-once.spec.ts',
    edits: [
      {
        file: 'kernel/once/missing-items.ts',
        find: 'if (disabled || owner === undefined) return undefined;',
        replace: 'if (disabled && owner === undefined) return undefined;',
      },
    ],
  },
  {
    threads: ['EJ2032'],
    name: 'absent-are-waited-for',
    bug: 'A round waits without end for an item whose owner lives and does not begin it.',
    first: 'kernel/distribute-once.spec.ts',
    edits: [
      {
        file: 'kernel/once/barrier-wait.ts',
        find: "if (sighting === undefined || sighting.why === 'running') return Infinity;",
        replace: 'if (sighting === undefined || sighting.why !== undefined) return Infinity;',
      },
    ],
  },
  {
    threads: ['EJ1502'],
    name: 'one-barrier-for-all-jobs',
    bug: 'All jobs of a process report to the barrier of the job that started last.',
    first: 'kernel/distribute-once.spec.ts',
    edits: [
      {
        file: 'kernel/lanes/job-listeners.ts',
        find: '  readonly #barrier: Barrier;',
        replace: '  static shared: Barrier;\n  get #barrier(): Barrier {\n    return JobListeners.shared;\n  }',
      },
      {
        file: 'kernel/lanes/job-listeners.ts',
        find: 'this.#barrier = barrier;',
        replace: 'JobListeners.shared = barrier;',
      },
    ],
  },
  {
    threads: ['EJ2142'],
    name: 'timeout-is-ignored',
    bug: 'An instance waits for all items without end, whatever the timeout.',
    first: 'kernel/distribute-once.spec.ts',
    edits: [
      {
        file: 'kernel/once/barrier-wait.ts',
        find: 'return timeoutMs > 0 ? this.#since + timeoutMs : Infinity;',
        replace: 'return timeoutMs > Infinity ? this.#since : Infinity;',
      },
    ],
  },
];
