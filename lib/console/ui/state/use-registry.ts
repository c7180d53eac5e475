import { computed, type ComputedRef } from 'vue';
import { useRoute } from 'vue-router';
import { segment } from '../api/client.js';

/** A parameter of the path, while the page is shown. */
export function useParam(name: string): ComputedRef<string> {
  const route = useRoute();
  // A page that is being left keeps its registry centre during the transition.
  return computed<string>((before) => {
    const value = route.params[name];
    return typeof value === 'string' ? value : (before ?? '');
  });
}

export const useRegistry = (): ComputedRef<string> => useParam('registry');

/** The path of a job's routes below `/api/v1/`. */
export const jobPath = (registry: string, job: string): string =>
  `registries/${segment(registry)}/jobs/${segment(job)}`;
