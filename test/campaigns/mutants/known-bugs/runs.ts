import { type Mutant } from '../mutant.js';

/** Runs: how their items begin and end, and the user code around them. */
export const runs: readonly Mutant[] = [
  {
    threads: [],
    name: 'pool-per-run',
    bug: 'Each run has a pool of its own: firings that overlap run more items at once than the pool size says.',
    first: 'unit/kernel/run/pool.spec.ts',
    edits: [
      {
        file: 'kernel/types/setting-faults.ts',
        find: 'this.#limiter ??= new Limiter(this.#size);',
        replace: 'this.#limiter = new Limiter(this.#size);',
      },
    ],
  },
  {
    threads: [],
    name: 'begins-by-old-settings',
    bug: 'A marked run begins after the settings have changed: its fencing token is lower than that of an unmarked run before it.',
    first: 'unit/kernel/run/run-seams.spec.ts',
    edits: [
      {
        file: 'kernel/marks/item-marks.ts',
        find: "no marked run may begin after they have changed.\n      { type: 'check', path: paths.config, ...(configVersion !== undefined && { version: configVersion }) },",
        replace: '',
      },
    ],
  },
  {
    threads: [],
    name: 'further-commits-write-the-first-version',
    bug: 'The second of several commits that begin items is refused, because it expects the record as it was before the first.',
    first: 'unit/kernel/run/run-seams.spec.ts',
    edits: [
      {
        file: 'kernel/marks/item-marks.ts',
        find: '{ version: version + index }',
        replace: '{ version }',
      },
    ],
  },
  {
    threads: [],
    name: 'begun-items-are-lost-with-the-others',
    bug: 'The second of several commits that begin items fails, and the items of the first stay marked and are not run.',
    first: 'unit/kernel/run/run-seams.spec.ts',
    edits: [
      {
        file: 'kernel/marks/item-marks.ts',
        find:
          '      if (begun.length === 0 || signal.aborted) {\n' +
          '        await this.#giveBack(begun, { former });\n        throw error;\n      }\n',
        replace: '      if (former !== undefined || begun.length === 0) throw error;\n',
      },
    ],
  },
  {
    threads: [],
    name: 'begun-items-are-lost-with-a-later-choice',
    bug: 'Items have begun, the choice of the others fails, and the whole run ends: the former stay marked and are not run.',
    first: 'unit/kernel/run/run-seams.spec.ts',
    edits: [
      {
        file: 'kernel/run/item-choice.ts',
        find: 'if (turn === undefined || begun.size === 0) throw error;',
        replace: 'if (turn === undefined || begun.size >= 0) throw error;',
      },
    ],
  },
  {
    threads: [],
    name: 'stop-does-not-end-a-beginning',
    bug: 'A job that is shut down while a run waits for its items to be assigned runs them all the same.',
    first: 'unit/kernel/run/run-seams.spec.ts',
    edits: [
      {
        file: 'kernel/run/job-run.ts',
        find: '  cancelBeginning(reason: Error): void {\n    this.#beginning.abort(reason);\n',
        replace: '  cancelBeginning(reason: Error): void {\n',
      },
    ],
  },
  {
    threads: [],
    name: 'soft-stop-is-not-sent',
    bug: 'The leader waits for running items, and the instances that run them do not ask them to end early.',
    first: 'unit/kernel/run/run-seams.spec.ts',
    edits: [
      {
        file: 'kernel/rules/plan.ts',
        find: "now.reshardingNeeded && local.busy.size > 0 ? { type: 'soft-stop' } : undefined;",
        replace: "now.reshardingNeeded && local.busy.size < 0 ? { type: 'soft-stop' } : undefined;",
      },
    ],
  },
  {
    threads: [],
    name: 'shutdown-sends-no-soft-stop',
    bug: 'A job that is shut down waits for its running items without asking them to end early.',
    first: 'unit/kernel/run/run-seams.spec.ts',
    edits: [
      {
        file: 'kernel/lanes/work-lane.ts',
        find: '    this.softStop(new JobStoppedError(paths.jobName, why));\n',
        replace: '',
      },
    ],
  },
  {
    threads: [],
    name: 'observer-ends-the-run',
    bug: 'A run observer that throws breaks the run that it observes.',
    first: 'unit/kernel/run/run-seams.spec.ts',
    edits: [
      {
        file: 'kernel/run/run-observers.ts',
        find: '      } catch (error) {\n        this.#report(error, what);\n      }',
        replace: '      } catch (error) {\n        throw error;\n      }',
      },
    ],
  },
  {
    threads: [],
    name: 'interceptors-in-reverse',
    bug: 'The interceptor that is given first is called last.',
    first: 'unit/kernel/run/run-seams.spec.ts',
    edits: [
      {
        file: 'kernel/run/item-run.ts',
        find: 'interceptors.reduceRight<',
        replace: 'interceptors.reduce<',
      },
    ],
  },
  {
    threads: [],
    name: 'logger-ends-the-job',
    bug: 'A logger that throws breaks what was to be logged: an instance does not register, an item is not given back.',
    first: 'unit/kernel/types/faulty-user-code.spec.ts',
    edits: [
      {
        file: 'api/text/log-entry.ts',
        find: '  } catch (failure) {\n    warnRarely(failure);\n',
        replace: '  } catch (failure) {\n    throw failure;\n',
      },
    ],
  },
  {
    threads: [],
    name: 'begins-by-a-later-view',
    bug: 'An item that moves between the choice of the items and their marks is run by its old owner and by its new one.',
    first: 'unit/kernel/lanes/handover.spec.ts',
    edits: [
      {
        file: 'kernel/marks/item-marks.ts',
        find: 'const fence = this.#fence(beginning.view);',
        replace: 'const fence = this.#fence(this.#deps.watch.view);',
      },
    ],
  },
  {
    threads: [],
    name: 'slow-answer-is-a-wrong-clock',
    bug: 'A registry centre that answers slowly is taken for one whose clock differs, and the job does not run.',
    first: 'unit/kernel/run/runs.spec.ts',
    edits: [
      {
        file: 'kernel/run/clock-check.ts',
        find: 'Math.max(0, before - registryTime, registryTime - clock.now())',
        replace: 'Math.abs(Math.max(before, clock.now()) - registryTime)',
      },
    ],
  },
  {
    threads: [],
    name: 'retries-slow-down-for-ever',
    bug: 'The pause before a retry grows with every failure since the start of the job, although it succeeded in between.',
    first: 'unit/kernel/lanes/schedule.spec.ts',
    edits: [
      {
        file: 'kernel/lanes/control-lane.ts',
        find: "    if (!failed) timers.succeeded('retry');\n",
        replace: '    void failed;\n',
      },
    ],
  },
  {
    threads: [],
    name: 'observers-miss-the-end',
    bug: 'Observers are not notified of the end of a run that began no item.',
    first: 'unit/kernel/run/run-events.spec.ts',
    edits: [
      {
        file: 'kernel/run/job-run.ts',
        find: '      this.#report.ended(outcome);\n',
        replace: '',
      },
      {
        file: 'kernel/run/job-run.ts',
        find: 'await this.#carryOut(begun);\n    this.#report.ended(outcome);\n',
        replace: "await this.#carryOut(begun);\n    if (outcome.type === 'completed') this.#report.ended(outcome);\n",
      },
    ],
  },
  {
    threads: [],
    name: 'removes-a-peers-mark',
    bug: 'A mark whose removal has lost its answer is removed once more, although another instance has begun the item since.',
    first: 'unit/kernel/marks/lost-answers.spec.ts',
    edits: [
      {
        file: 'kernel/marks/mark-removal.ts',
        find: "const items = numbersOf(this.#held.itemsMarked('ended'));",
        replace: "const items = numbersOf([...this.#held.itemsMarked('ended'), ...this.#held.leftovers]);",
      },
    ],
  },
];
