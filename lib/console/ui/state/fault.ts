import { shallowRef } from 'vue';
import { type Problem } from '../../contract/common.js';
import { asProblem } from '../api/client.js';

/** A failure of the page itself, and a function that may correct it. */
export interface Fault {
  readonly problem: Problem;
  readonly retry: () => void;
}

/** The latest fault, until the user goes to another page. */
export const fault = shallowRef<Fault>();

/** Shows a fault in a box. The browser's console has it too, with the place where it happened. */
export function showFault(error: unknown, retry = (): void => location.reload()): void {
  reportError(error);
  fault.value = { problem: asProblem(error), retry };
}
