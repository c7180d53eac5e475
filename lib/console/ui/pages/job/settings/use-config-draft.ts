/**
 * A change of a job's settings while it is typed:
 *
 * ```
 *   stored ──▶ draft ──typing──▶ checked by the server ──save (If-Match: version)──▶ stored
 *     └─ another user's change: applied if nothing was typed, otherwise shown as a newer version
 * ```
 */
import { computed, onScopeDispose, ref, watch } from 'vue';
import { type Problem } from '../../../../contract/common.js';
import {
  type ConfigurationCheck,
  type JobConfigurationDto,
  type StoredConfiguration,
} from '../../../../contract/jobs.js';
import { asProblem, get, send } from '../../../api/client.js';
import { asking, useLoad } from '../../../api/use-load.js';
import { useLive } from '../../../live/use-live.js';

const CHECK_AFTER_MS = 400;

/**
 * @param path of the settings in the API
 * @param job the name of the job
 * @param mayCheck true if the user may have a draft checked
 */
export function useConfigDraft(path: () => string, job: () => string, mayCheck: () => boolean) {
  const stored = useLoad(get<StoredConfiguration>, path);
  const draft = ref<JobConfigurationDto>();
  const version = ref(0);
  const newerVersion = ref(false);
  /** The server's check of the draft; provisional until it has checked the latest draft. */
  const check = asking(() => send<ConfigurationCheck>('POST', `${path()}/validate`, { body: draft.value }));
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
    // Another user's change does not overwrite typed text.
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
    // In the stored order, so that an undone edit compares equal.
    const order = Object.keys({ ...stored.data.value?.configuration, ...filled });
    draft.value = Object.fromEntries(
      order.filter((key) => filled[key] !== undefined).map((key) => [key, filled[key]]),
    ) as unknown as JobConfigurationDto;
  }

  let timer: ReturnType<typeof setTimeout> | undefined;
  watch(draft, (now) => {
    clearTimeout(timer);
    check.stop();
    check.isProvisional.value = true;
    if (now !== undefined && mayCheck()) timer = setTimeout(() => void check.reload(), CHECK_AFTER_MS);
  });
  onScopeDispose(() => clearTimeout(timer));
  onScopeDispose(check.stop);

  /** True if the check is of the latest draft. */
  const isChecked = computed(() => check.data.value !== undefined && !check.isProvisional.value);
  const canSave = computed(() => isChanged.value && isChecked.value && check.data.value?.problems.length === 0);
  const changeCount = computed(() => {
    const [before, after] = [flat(stored.data.value?.configuration), flat(draft.value)];
    return [...new Set([...before.keys(), ...after.keys()])].filter((key) => before.get(key) !== after.get(key)).length;
  });

  /** Stores the draft. @returns true if it was stored; if not, `problem` says why */
  async function save(reason: string): Promise<boolean> {
    try {
      const headers = { 'if-match': `"${version.value}"` };
      await send('PUT', path(), { body: { ...draft.value }, headers, query: { reason } });
      await takeTheirs();
      return true;
    } catch (error) {
      problem.value = asProblem(error);
      // Another user's version is stored now.
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
    changeCount,
    canSave,
    takeStored,
    takeTheirs,
    set,
    save,
  };
}

/** Settings and properties, each as a text. */
function flat(configuration: JobConfigurationDto | undefined): ReadonlyMap<string, string> {
  const { props = {}, ...settings } = configuration ?? {};
  const all = {
    ...settings,
    ...Object.fromEntries(Object.entries(props).map(([key, value]) => [`props.${key}`, value])),
  };
  return new Map(Object.entries(all).map(([key, value]) => [key, JSON.stringify(value)]));
}
