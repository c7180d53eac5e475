import { onScopeDispose } from 'vue';
import { type LiveEvent } from '../../contract/live.js';
import { live } from './live.js';

const TOGETHER_MS = 800;

/** Hears of events while the component is there. */
export function useLive(listener: (event: LiveEvent) => void): void {
  onScopeDispose(live.listen(listener));
}

/** Calls `task` once for all events of these types that come within a short time of one another. */
export function useLiveRefresh(types: readonly LiveEvent['type'][], task: () => void): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  useLive((event) => {
    if (!types.includes(event.type) || timer !== undefined) return;
    timer = setTimeout(() => {
      timer = undefined;
      task();
    }, TOGETHER_MS);
  });
  onScopeDispose(() => clearTimeout(timer));
}
