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

/** Does what the user asked for, shows that it is under way, and says how it went. */
export function useDoing(): {
  isBusy: Ref<boolean>;
  act: (task: () => Promise<unknown>, done?: string) => Promise<boolean>;
} {
  const isBusy = ref(false);
  const act = async (task: () => Promise<unknown>, done?: string): Promise<boolean> => {
    isBusy.value = true;
    try {
      await task();
      if (done !== undefined) toast(done);
      return true;
    } catch (error) {
      toastProblem(asProblem(error));
      return false;
    } finally {
      isBusy.value = false;
    }
  };
  return { isBusy, act };
}
