import { type JobConfiguration } from '../../../lib/api/job/job-configuration.js';
import { type Duration, milliseconds } from '../../../lib/testing/durations.js';
import { perform } from './commands.js';
import { type OnceTimeouts } from './listeners.js';
import { type Block, type Command, type ScenarioFile } from './scenario-file.js';
import { jobSettings } from './settings.js';
import { scenarioJob, Stage } from './stage.js';
import { unrest } from './unrest.js';

/** A scenario as it was played. */
export interface Played {
  /** With the transcripts of what happened. */
  readonly file: ScenarioFile;
  /** The violations of demands that hold in every scenario. */
  readonly complaints: readonly string[];
}

/** How a scenario's cluster is set up: what its `job` and `cluster` commands say. */
interface Setting {
  readonly jobs: JobConfiguration[];
  sessionTimeoutMs: number;
  graceMs: number;
  timeouts: OnceTimeouts;
  isDeaf: boolean;
  /** Unrest that the scenario wants to end in. */
  readonly allowed: string[];
}

/** Plays all blocks of a scenario one after the other. */
export async function play({ heading, blocks }: ScenarioFile): Promise<Played> {
  const player = new Player();
  const played: Block[] = [];
  // Each block goes on where the one before it ended.
  for (const block of blocks) played.push({ ...block, transcript: await player.play(block) });
  return { file: { heading, blocks: played }, complaints: await player.end() };
}

class Player {
  #setting = newSetting();
  #stage: Stage | undefined;
  readonly #complaints: string[] = [];

  async play({ commands }: Block): Promise<readonly string[]> {
    const told: string[] = [];
    for (const command of commands) told.push(...(await this.#perform(command)));
    return [...told, ...(this.#stage?.chronicle.take() ?? ['nothing happened'])];
  }

  async #perform(command: Command): Promise<readonly string[]> {
    switch (command.verb) {
      case 'job':
        this.#addJob(command);
        return [];
      case 'cluster':
        this.#set(command);
        return [];
      case 'ends-with':
        this.#setting.allowed.push(command.words.join(' '));
        return [];
      case 'new-cluster':
        await this.#close();
        return [];
      default: {
        const stage = (this.#stage ??= await this.#open());
        await perform(stage, command);
        return [];
      }
    }
  }

  #addJob(command: Command): void {
    const [jobName = '', ...words] = command.words;
    this.#setting.jobs.push(scenarioJob(jobName, jobSettings({ ...command, words })));
  }

  #set({ words, settings }: Command): void {
    const [session, grace] = [settings.get('session'), settings.get('grace')];
    this.#setting.sessionTimeoutMs = msOf(session) ?? this.#setting.sessionTimeoutMs;
    this.#setting.graceMs = msOf(grace) ?? this.#setting.graceMs;
    const { startedMs, completedMs } = this.#setting.timeouts;
    this.#setting.timeouts = {
      startedMs: msOf(settings.get('started')) ?? startedMs,
      completedMs: msOf(settings.get('completed')) ?? completedMs,
    };
    if (words.includes('deaf')) this.#setting.isDeaf = true;
  }

  async #open(): Promise<Stage> {
    const stage = await Stage.open(this.#setting);
    stage.work.isDeaf = this.#setting.isDeaf;
    return stage;
  }

  /** Ends the cluster; the next command finds a new one with the same jobs. */
  async #close(): Promise<void> {
    const stage = this.#stage;
    this.#stage = undefined;
    if (stage === undefined) return;
    const { allowed } = this.#setting;
    const restless = unrest(stage);
    this.#complaints.push(
      ...stage.complaints,
      ...restless.filter((text) => !allowed.includes(text)).map((text) => `at the end: ${text}`),
      ...allowed.filter((text) => !restless.includes(text)).map((text) => `at the end it is not so: ${text}`),
    );
    await stage[Symbol.asyncDispose]();
  }

  async end(): Promise<readonly string[]> {
    await this.#close();
    return this.#complaints;
  }
}

function msOf(duration: string | undefined): number | undefined {
  return duration === undefined ? undefined : milliseconds(duration as Duration);
}

function newSetting(): Setting {
  const timeouts = { startedMs: 60_000, completedMs: 60_000 };
  return { jobs: [], sessionTimeoutMs: 6_000, graceMs: 30_000, timeouts, isDeaf: false, allowed: [] };
}
