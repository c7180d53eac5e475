import { computed, shallowRef } from 'vue';
import { type RegistryInfo } from '../../contract/registries.js';
import { ApiProblem, list } from '../api/client.js';
import { asking } from '../api/use-load.js';
import { live } from '../live/live.js';

const STORED = 'elasticjob.registry';

/** The registry centres of the console, for the frame and for every page. */
export const registriesLoad = asking(() => list<RegistryInfo>('registries'));
export const registries = registriesLoad.data;
/** The registry centre of the present page, or else of the last page that had one. */
export const chosen = shallowRef<string | undefined>(localStorage.getItem(STORED) ?? undefined);

export const current = computed(() => registries.value?.find(({ name }) => name === chosen.value));

export async function readRegistries(): Promise<void> {
  await registriesLoad.reload();
  // The registry centre that this browser remembers may have been removed.
  if (registries.value !== undefined && current.value === undefined) chosen.value = registries.value[0]?.name;
}

export function choose(name: string): void {
  chosen.value = name;
  localStorage.setItem(STORED, name);
}

/** The registry centre to show first: the last one, if it still exists. */
export async function firstRegistry(): Promise<string | undefined> {
  if (registries.value === undefined) await readRegistries();
  if (registriesLoad.problem.value !== undefined) throw new ApiProblem(registriesLoad.problem.value);
  return (current.value ?? registries.value?.[0])?.name;
}

live.listen((event) => {
  if (event.type === 'resync') void readRegistries();
  if (event.type !== 'registry') return;
  registries.value = registries.value?.map((each) =>
    each.name === chosen.value ? { ...each, status: event.status } : each,
  );
});
