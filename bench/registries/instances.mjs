// Instances of the library for the parts of `registries`, each a process of its own.
import { setTimeout as sleep } from 'node:timers/promises';
import { Child } from '../support/children.mjs';

const MODULE = new URL('../costs/instance.mjs', import.meta.url);
const DEADLINE_MS = 120_000;

/** Starts instances of the same jobs; resolves when all items are assigned. */
export async function startInstances(count, settings) {
  const children = await Promise.all(Array.from({ length: count }, () => Child.start(MODULE, settings)));
  await untilAssigned(children, settings);
  return children;
}

/** Until each instance owns items, and all items have an owner. @returns the milliseconds that took */
export async function untilAssigned(children, { jobs, items }) {
  const began = performance.now();
  for (;;) {
    const owned = (await ask(children, 'facts')).map((each) => each.owned);
    if (owned.every((each) => each > 0) && sum(owned) === jobs * items) return performance.now() - began;
    if (performance.now() > began + DEADLINE_MS) throw new Error(`The items were not assigned in time: ${owned}`);
    await sleep(5);
  }
}

/** Runs and the processor's time in microseconds, of all these processes together. */
export async function factsOf(children) {
  const all = await ask(children, 'facts');
  return { runs: sum(all.map(({ runs }) => runs)), cpuUs: sum(all.map(({ cpu }) => cpu.user + cpu.system)) };
}

/** Asks all at once. */
export function ask(children, question, ...details) {
  return Promise.all(children.map((child) => child.ask(question, ...details)));
}

export function stopAll(children) {
  return Promise.allSettled(children.map((child) => child.stop()));
}

function sum(numbers) {
  return numbers.reduce((total, each) => total + each, 0);
}
