/**
 * A change of a job's settings while it is typed:
 *
 * ```
 *   stored ──▶ draft ──typing──▶ checked by the server ──save (If-Match: version)──▶ stored
 *     └─ somebody else's change: taken over if nothing was typed, otherwise shown as a newer version
 * ```
 */
import { computed, ref, watch } from 'vue';
import { type Problem } from '../../../contract/common.js';
import { type ConfigurationCheck, type JobConfigurationDto, type StoredConfiguration } from '../../../contract/jobs.js';
import { asProblem, get, send } from '../../api/client.js';
import { useLoad } from '../../api/use-load.js';
import { useLive } from '../../live/use-live.js';

const CHECK_AFTER_MS = 400;

/**
 * @param path of the settings in the API
 * @param job the name of the job
 */
export function useConfigDraft(path: () => string, job: () => string) {
  const stored = useLoad(() => get<StoredConfiguration>(path()), path);
  const draft = ref<JobConfigurationDto>();
  const version = ref(0);
  const newerVersion = ref(false);
  const check = ref<ConfigurationCheck>();
  const problem = ref<Problem>();
  const isChanged = computed(() => JSON.stringify(draft.value) !== JSON.stringify(stored.data.value?.configuration));

  function takeStored(): void {
    const now = stored.data.value;
    if (now === undefined) return;
    draft.value = structuredClone(now.configuration);
    version.value = now.version;
    newerVersion.value = false;
    problem.value = undefined;
  }
  watch(stored.data, (now, before) => {
    if (now === undefined) return;
    // Somebody else's change does not overwrite what is being typed.
    if (draft.value !== undefined && before && JSON.stringify(draft.value) !== JSON.stringify(before.configuration)) {
      newerVersion.value = now.version !== version.value;
      return;
    }
    takeStored();
  });
  useLive((event) => {
    if (event.type === 'config' && event.jobName === job() && event.version !== version.value) void stored.reload();
  });

  function set(name: keyof JobConfigurationDto, value: unknown): void {
    if (draft.value === undefined) return;
    const filled: Readonly<Record<string, unknown>> = { ...draft.value, [name]: value };
    // In the order of what is stored, so that a change taken back is no change.
    const order = Object.keys({ ...stored.data.value?.configuration, ...filled });
    draft.value = Object.fromEntries(
      order.filter((key) => filled[key] !== undefined).map((key) => [key, filled[key]]),
    ) as unknown as JobConfigurationDto;
  }

  let timer: ReturnType<typeof setTimeout> | undefined;
  watch(draft, (now) => {
    clearTimeout(timer);
    if (now !== undefined) timer = setTimeout(() => void validate(now), CHECK_AFTER_MS);
  });

  async function validate(configuration: JobConfigurationDto): Promise<void> {
    try {
      const found = await send<ConfigurationCheck>('POST', `${path()}/validate`, { body: configuration });
      if (configuration === draft.value) check.value = found;
    } catch (error) {
      problem.value = asProblem(error);
    }
  }

  const canSave = computed(() => isChanged.value && check.value !== undefined && check.value.problems.length === 0);

  /** Stores the draft. @returns whether that has succeeded; if not, `problem` says why */
  async function save(reason: string): Promise<boolean> {
    try {
      const headers = { 'if-match': `"${version.value}"` };
      await send('PUT', path(), { body: { ...draft.value }, headers, query: { reason } });
      await takeTheirs();
      return true;
    } catch (error) {
      problem.value = asProblem(error);
      // Who was faster stands there now.
      if (problem.value.status === 412 || problem.value.status === 409) newerVersion.value = true;
      return false;
    }
  }

  async function takeTheirs(): Promise<void> {
    draft.value = undefined;
    await stored.reload();
    takeStored();
  }

  return {
    stored,
    draft,
    newerVersion,
    check,
    problem,
    isChanged,
    canSave,
    takeStored,
    takeTheirs,
    set,
    validate,
    save,
  };
}
