import { type Mutant } from '../mutant.js';

/** Listeners that are to be called once in the cluster. */
export const listeners: readonly Mutant[] = [
  {
    threads: ['EJ487', 'EJ1879'],
    name: 'everybody-calls',
    bug: 'Whoever finds the barrier complete calls the listener: several do.',
    first: 'kernel/distribute-once.spec.ts',
    edits: [{ file: 'kernel/once-call.ts', find: '    if (!isOurs) return false;\n', replace: '' }],
  },
  {
    threads: ['EJ271', 'EJ631'],
    name: 'called-before-all-have-come',
    bug: 'The listener is called when the first instance has completed its items.',
    first: 'kernel/distribute-once.spec.ts',
    edits: [
      {
        file: 'kernel/meeting-wait.ts',
        find: '#decideBy(missing: readonly MissingItem[]): Decision {',
        replace:
          "#decideBy(missing: readonly MissingItem[]): Decision {\n    if (missing.length >= 0) return { type: 'complete' };",
      },
    ],
  },
  {
    threads: ['EJ512', 'EJ1689'],
    name: 'disabled-items-are-waited-for',
    bug: 'Items that an operator has disabled are waited for.',
    first: 'kernel/distribute-once.spec.ts',
    edits: [
      {
        file: 'kernel/missing-items.ts',
        find: 'if (disabled || owner === undefined) return undefined;',
        replace: 'if (disabled && owner === undefined) return undefined;',
      },
    ],
  },
  {
    threads: ['EJ2032', '5.1-L'],
    name: 'absent-are-waited-for',
    bug: 'An item whose owner lives and does not begin it is waited for, for ever.',
    first: 'kernel/distribute-once.spec.ts',
    edits: [
      {
        file: 'kernel/meeting-wait.ts',
        find: "if (sighting === undefined || sighting.why === 'running') return Infinity;",
        replace: 'if (sighting === undefined || sighting.why !== undefined) return Infinity;',
      },
    ],
  },
  {
    threads: ['EJ1502', '5.2-19'],
    name: 'one-barrier-for-all-jobs',
    bug: 'Two jobs of a process share what their listeners have been told.',
    first: 'kernel/distribute-once.spec.ts',
    edits: [
      {
        file: 'kernel/own-attendance.ts',
        find: 'export class OwnAttendance {',
        replace: 'const shared = new Map<string, any>();\n\nexport class OwnAttendance {',
      },
      {
        file: 'kernel/own-attendance.ts',
        find: '    this.#ports = ports;\n',
        replace:
          '    this.#ports = ports;\n' +
          '    if (!shared.has(ports.me)) shared.set(ports.me, this.#rounds);\n' +
          '    this.#rounds = shared.get(ports.me);\n',
      },
      { file: 'kernel/own-attendance.ts', find: '  readonly #rounds = ', replace: '  #rounds = ' },
    ],
  },
  {
    threads: ['EJ2142', '5.1-L'],
    name: 'timeout-is-ignored',
    bug: 'Who waits for all items waits for ever, whatever the timeout.',
    first: 'kernel/distribute-once.spec.ts',
    edits: [
      {
        file: 'kernel/meeting-wait.ts',
        find: 'return timeoutMs > 0 ? this.#since + timeoutMs : Infinity;',
        replace: 'return timeoutMs > Infinity ? this.#since : Infinity;',
      },
    ],
  },
];
