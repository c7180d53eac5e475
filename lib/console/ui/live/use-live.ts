import { onScopeDispose } from 'vue';
import { type LiveEvent } from '../../contract/live.js';
import { live } from './live.js';

const TOGETHER_MS = 800;

/** Receives events while the component is mounted. */
export function useLive(listener: (event: LiveEvent) => void): void {
  onScopeDispose(live.listen(listener));
}

/**
 * Calls `task` once for all events of these types within a short time.
 * @param concerns false for an event that is ignored. Default: none is
 */
export function useLiveRefresh(
  types: readonly LiveEvent['type'][],
  task: () => void,
  concerns: (event: LiveEvent) => boolean = () => true,
): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  useLive((event) => {
    if (!types.includes(event.type) || timer !== undefined || !concerns(event)) return;
    timer = setTimeout(() => {
      timer = undefined;
      task();
    }, TOGETHER_MS);
  });
  onScopeDispose(() => clearTimeout(timer));
}
