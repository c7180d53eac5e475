import { ElMessage } from 'element-plus/es/components/message/index';
import { ref, type Ref } from 'vue';
import { type Problem } from '../../contract/common.js';
import { asProblem } from '../api/client.js';
import { t } from '../i18n/i18n.js';
import { clause, worded } from '../i18n/wording.js';

/** What the page says of a problem: a sentence of its own if it has one, else the server's. */
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

/** Something that the user asks for. Each resolves with whether it was done. */
export interface Doing {
  /** It is under way. */
  readonly isBusy: Ref<boolean>;
  /** The problem that the last `attempt` met. */
  readonly problem: Ref<Problem | undefined>;
  /** Says how it went in a toast; success only if `done` is given. */
  readonly act: (task: () => Promise<unknown>, done?: string) => Promise<boolean>;
  /** Keeps the problem for the form that asks. */
  readonly attempt: (task: () => Promise<unknown>) => Promise<boolean>;
}

/** Does what the user asked for, shows that it is under way, and says how it went. */
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
