import { isDeepStrictEqual } from 'node:util';
import { until } from '../../../support/until.js';
import { IS_RECORDING, type Story } from './golden-records.js';
import { type MixedCluster } from './mixed-cluster.js';
import { type JavaNode, type Portrait, portraits } from './portrait.js';
import { untilStill } from './until-still.js';

/** The nodes of a cluster's jobs from moment to moment, and the expected ones. */
export class Sightings {
  readonly #seen: Record<string, Record<string, Portrait>> = {};

  constructor(
    private readonly cluster: MixedCluster,
    private readonly expected: Story,
  ) {}

  get story(): Story {
    return this.#seen;
  }

  /**
   * Looks at jobs as soon as they are as they are expected at this moment, or as they are after 15 s. While records are
   * made, when nothing has moved for a while.
   */
  async see(moment: string, jobs: readonly string[]): Promise<void> {
    const found = await (IS_RECORDING ? this.#untilStill(jobs) : this.#untilAsExpected(moment, jobs));
    for (const job of jobs) (this.#seen[job] ??= {})[moment] = found[job] ?? {};
  }

  /** How a job is at present. */
  async now(job: string): Promise<Portrait> {
    return (await this.#look())[job] ?? {};
  }

  async #look(): Promise<Readonly<Record<string, Portrait>>> {
    const { namespace } = this.cluster;
    return portraits(namespace, (await this.cluster.operate('tree', `/${namespace}`)) as JavaNode[]);
  }

  async #untilAsExpected(moment: string, jobs: readonly string[]): Promise<Readonly<Record<string, Portrait>>> {
    let now = await this.#look();
    const isAsExpected = async (): Promise<boolean> => {
      now = await this.#look();
      return jobs.every((job) => isDeepStrictEqual(now[job], this.expected[job]?.[moment]));
    };
    // The test reports the differences.
    await until(isAsExpected, `the jobs to be as they are expected when ${moment}`, 15_000).catch(() => undefined);
    return now;
  }

  #untilStill(jobs: readonly string[]): Promise<Readonly<Record<string, Portrait>>> {
    return untilStill(async () => {
      const now = await this.#look();
      return Object.fromEntries(jobs.map((job) => [job, now[job] ?? {}]));
    });
  }
}
