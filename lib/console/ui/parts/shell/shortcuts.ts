import { type Router } from 'vue-router';
import { live } from '../../live/live.js';
import { chosen } from '../../state/registries.js';

const PLACES: Readonly<Record<string, string>> = {
  o: 'overview',
  j: 'jobs',
  s: 'servers',
  d: 'schedule',
  t: 'executions',
};
const NEEDS_REGISTRY = ['overview', 'jobs', 'servers', 'schedule'];

/**
 * Keyboard shortcuts: `/` goes to the search, `g` and a letter to a page, `p` pauses, `?` opens the help. They are off
 * while the user types.
 * @returns a function that ends this
 */
export function listenForShortcuts(router: Router): () => void {
  const state = { isGoing: false };
  const listener = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    const place = state.isGoing ? PLACES[event.key] : undefined;
    state.isGoing = event.key === 'g';
    if (place !== undefined) return go(router, place);
    if (event.key === '/') return focusSearch(event);
    if (event.key === '?') void router.push({ name: 'help' });
    if (event.key === 'p') (live.state.phase === 'paused' ? live.resume : live.pause)();
  };
  document.addEventListener('keydown', listener);
  return () => document.removeEventListener('keydown', listener);
}

function go(router: Router, name: string): void {
  if (!NEEDS_REGISTRY.includes(name)) void router.push({ name });
  else if (chosen.value !== undefined) void router.push({ name, params: { registry: chosen.value } });
}

function focusSearch(event: KeyboardEvent): void {
  const search = document.querySelector<HTMLInputElement>('input[type="search"]');
  if (search === null) return;
  event.preventDefault();
  search.focus();
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable], .el-dialog') !== null
  );
}
