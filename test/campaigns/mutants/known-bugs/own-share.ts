import { type Mutant } from '../mutant.js';

/** Instances that listen to their own items only, and miss what concerns them. */
export const ownShare: readonly Mutant[] = [
  {
    threads: [],
    name: 'stays-narrow-when-an-instance-goes',
    bug: 'An instance that listens to its own items does not hear that another one is gone, whose items nobody runs again.',
    first: 'unit/layout/job-paths.spec.ts',
    edits: [
      {
        file: 'layout/job-paths.ts',
        find: '...[this.config, this.instances, this.servers,',
        replace: '...[this.config, this.servers,',
      },
      {
        file: 'layout/job-paths.ts',
        find: '...[this.lives, this.assignmentRecord,',
        replace: '...[this.assignmentRecord,',
      },
      { file: 'layout/job-paths.ts', find: '`${this.root}/leader`, ', replace: '' },
    ],
  },
  {
    threads: [],
    name: 'narrows-although-something-was-told',
    bug: 'A mirror narrows while it is being told of a change that must keep it wide, and never sees what follows from it.',
    first: 'zookeeper/registry-center/narrowing.spec.ts',
    edits: [
      {
        file: 'registry/zookeeper/mirror/zookeeper-mirror.ts',
        find: 'if (!this.#isSettled || copy.hasOwnWritesInFlight) return false;',
        replace: 'if (!this.isCurrent || copy.isNew) return false;',
      },
    ],
  },
  {
    threads: [],
    name: 'waits-for-what-it-does-not-hear',
    bug: 'An instance that listens to its own items waits for something that happens elsewhere, until its time is up.',
    first: 'unit/kernel/view/job-watch.spec.ts',
    edits: [
      {
        file: 'kernel/view/job-watch.ts',
        find: '      if (!isOver) this.#mirror.widen();\n',
        replace: '',
      },
    ],
  },
  {
    threads: [],
    name: 'acts-on-a-frozen-view',
    bug: 'While an instance reads everything again, it acts on a view without its own writes: a firing drops items that seem to run.',
    first: 'zookeeper/kernel/own-share.spec.ts',
    edits: [
      {
        file: 'kernel/view/job-watch.ts',
        find: 'return this.#mirror.isCurrent && !this.#mirror.isWidening;',
        replace: 'return this.#mirror.isCurrent;',
      },
    ],
  },
];
