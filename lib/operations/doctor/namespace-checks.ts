import { describeCause } from '../../api/text/describe-cause.js';
import { JobPaths } from '../../layout/job-paths.js';
import { type RegistryCenter } from '../../registry/registry-center.js';
import { type Clock } from '../../time/clock.js';
import { type Finding } from './finding.js';

/** The registry centre's clock, compared with the clock of this process. */
export interface RegistryClock {
  /** Milliseconds since 1970; `undefined` if it is not known. */
  readonly registryTime: number | undefined;
  /** By how much the clock of this process is ahead of it, in milliseconds; negative if behind. */
  readonly aheadMs: number;
  /** Why the time is not known, as a sentence. */
  readonly fault: string | undefined;
}

/** By how much clocks may differ, in milliseconds. */
const TOLERANCE_MS = 1_000;

/** Asks the registry centre for its time: writes a node of the first job that has no other use. */
export async function registryClock(
  registry: RegistryCenter,
  [jobName]: readonly string[],
  clock: Clock,
): Promise<RegistryClock> {
  if (registry.time === undefined) return unknownTime(NO_CLOCK);
  if (jobName === undefined) return unknownTime(undefined);
  try {
    const before = clock.now();
    const registryTime = await registry.time(new JobPaths(jobName).systemTime);
    const after = clock.now();
    // The registry centre read its clock between `before` and `after`; only a time outside of them is a difference.
    const aheadMs = Math.max(0, before - registryTime) - Math.max(0, registryTime - after);
    return { registryTime, aheadMs, fault: undefined };
  } catch (error) {
    const fault = `Clocks were not compared, as the time of the registry centre could not be asked for: ${describeCause(error)}`;
    return unknownTime(fault);
  }
}

const NO_CLOCK = 'Clocks were not compared, as this registry centre has no clock that can be asked.';

function unknownTime(fault: string | undefined): RegistryClock {
  return { registryTime: undefined, aheadMs: 0, fault };
}

/** Finds a clock of this machine that differs too much from the registry centre's. */
export function clockDifference({ aheadMs }: RegistryClock): readonly Finding[] {
  if (Math.abs(aheadMs) <= TOLERANCE_MS) return [];
  return [
    {
      ...{ type: 'clock-difference', severity: 'notice', jobName: undefined, subject: '', fix: undefined },
      code: aheadMs > 0 ? 'clock-difference.ahead' : 'clock-difference.behind',
      values: { seconds: (Math.abs(aheadMs) / 1_000).toFixed(1) },
      sentence: `The clock of this machine is ${(Math.abs(aheadMs) / 1_000).toFixed(1)} s ${aheadMs > 0 ? 'ahead of' : 'behind'} that of the registry centre.`,
      consequence:
        'Instances fire by the clocks of their machines: if those differ, firings during a change of instances may be missed.',
      cure: 'Synchronise the clocks of all machines (NTP).',
    },
  ];
}

/** The finding about nodes that anyone may change although a digest is configured. @param paths those nodes */
export function openNodes(paths: readonly string[], fullPath: (path: string) => string): readonly Finding[] {
  const [first] = paths;
  if (first === undefined) return [];
  const others = paths.length === 1 ? '' : ` and ${paths.length - 1} other ${paths.length === 2 ? 'node' : 'nodes'}`;
  return [
    {
      ...{ type: 'open-nodes', code: 'open-nodes', severity: 'warning', jobName: undefined, fix: undefined },
      values: { path: fullPath(first), count: paths.length },
      subject: `${paths.length} ${paths.length === 1 ? 'node' : 'nodes'}`,
      sentence: `Anyone may change ${fullPath(first)}${others}, although a digest is configured here.`,
      consequence:
        'Anyone with access to the registry centre can change, end or remove jobs; some application may run without the digest.',
      cure: 'Configure the digest in all applications, and set the access rules of nodes that exist: setAcl -R in zkCli.sh.',
    },
  ];
}
