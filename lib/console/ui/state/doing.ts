import { ElMessage } from 'element-plus/es/components/message/index';
import { ref, type Ref } from 'vue';
import { type Problem } from '../../contract/common.js';
import { type TriggerAnswer } from '../../contract/jobs.js';
import { asProblem } from '../api/client.js';
import { t } from '../i18n/i18n.js';
import { clause, worded } from '../i18n/wording.js';

/** The sentence for a problem: the page's own if it has one, else the server's. */
export function sentenceOf(problem: Problem): string {
  const { code, detail, wording } = problem;
  const general = worded('problem', { code, values: { detail } }, { sentence: detail });
  return wording === undefined ? general : clause(wording, worded('state', wording, { sentence: general }));
}

export function toastProblem(problem: Problem): void {
  const id = problem.requestId === '' ? '' : ` (${t('problem.request')} ${problem.requestId})`;
  ElMessage({
    type: 'error',
    message: `${sentenceOf(problem)}${id}`,
    duration: 10_000,
    showClose: true,
    grouping: true,
  });
}

export function toast(message: string): void {
  ElMessage({ type: 'success', message, duration: 3_500 });
}

/** The number of the triggered instances, and of those that will run. */
export const countsOf = ({ instances }: TriggerAnswer): { willRun: number; all: number } => ({
  willRun: instances.filter(({ willRun }) => willRun).length,
  all: instances.length,
});

/** Runs actions of the user. The functions resolve with true if the action succeeded. */
export interface Doing {
  /** True while an action is running. */
  readonly isBusy: Ref<boolean>;
  /** The problem of the last `attempt`. */
  readonly problem: Ref<Problem | undefined>;
  /** Shows the result in a toast; success only if `done` is given. */
  readonly act: (task: () => Promise<unknown>, done?: string) => Promise<boolean>;
  /** Keeps the problem, for the form. */
  readonly attempt: (task: () => Promise<unknown>) => Promise<boolean>;
}

/** Runs actions of the user, with their state and result. */
export function useDoing(): Doing {
  const isBusy = ref(false);
  const problem = ref<Problem>();
  const run = async (task: () => Promise<unknown>, refused: (problem: Problem) => void): Promise<boolean> => {
    isBusy.value = true;
    try {
      await task();
      return true;
    } catch (error) {
      refused(asProblem(error));
      return false;
    } finally {
      isBusy.value = false;
    }
  };
  const act = async (task: () => Promise<unknown>, done?: string): Promise<boolean> => {
    const isDone = await run(task, toastProblem);
    if (isDone && done !== undefined) toast(done);
    return isDone;
  };
  const attempt = (task: () => Promise<unknown>): Promise<boolean> => {
    problem.value = undefined;
    return run(task, (met) => void (problem.value = met));
  };
  return { isBusy, problem, act, attempt };
}
