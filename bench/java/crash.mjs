// Crash → takeover: an instance dies with an item in progress, and another one of its kind, which is idle, runs it
// again. The session is 4 s, the server's tick 2 s.
import { setTimeout } from 'node:timers/promises';
import { until } from '../../test/support/until.ts';
import { inTurn } from './times.mjs';

const SESSION_MS = 4_000;
const VICTIMS = 2;
/**
 * Nearly all of a takeover is waiting; but no two sides shall recover in the same tick and contend for the processor.
 */
const BETWEEN_SIDES_MS = 4_000;
const MOST_ROUNDS = 3;

export async function crash({ sides, instances, results, rounds, reader }) {
  const survivors = new Map();
  for (const side of sides) survivors.set(side, await instances.start(side, options(side)));
  for (let round = 0; round < Math.min(rounds, MOST_ROUNDS); round++) {
    const scenes = [];
    for (const side of inTurn(sides, round)) {
      for (let victim = 0; victim < VICTIMS; victim++) {
        const jobName = `crash-${round}-${victim}`;
        scenes.push(await Scene.prepare({ side, jobName, survivor: survivors.get(side), instances, reader }));
      }
    }
    await Promise.all(
      scenes.map(async (scene, index) => {
        const victim = index % VICTIMS;
        // Those of one side are not all in the same phase of the tick.
        await setTimeout(Math.floor(index / VICTIMS) * BETWEEN_SIDES_MS + 900 * victim);
        const { sinceKill, sinceEnd } = await scene.takeover();
        results.add('crash → takeover, session 4 s', scene.side, [sinceKill]);
        results.add('end of the session → takeover', scene.side, [sinceEnd]);
      }),
    );
  }
  for (const survivor of survivors.values()) await survivor.kill();
}

const options = (side) => ({ namespace: `crash-${side}`, sessionMs: SESSION_MS, log: true });

/** Two instances of a job, one that is idle, and one that runs an item without end. */
class Scene {
  static async prepare({ side, jobName, survivor, instances, reader }) {
    const scene = Object.assign(new Scene(), { side, jobName, survivor, reader });
    const job = { jobName, shardingTotalCount: 2, failover: true };
    await survivor.ask('start', job);
    scene.victim = await instances.start(side, options(side));
    await scene.victim.ask('block', jobName, '*');
    await scene.victim.ask('start', job);
    await survivor.ask('execute', jobName);
    const isSet = () =>
      scene.victim.runsOf(jobName).length === 1 && survivor.runsOf(jobName).some(({ hasEnded }) => hasEnded);
    await until(isSet, `${side} to run an item on each of two instances`, 30_000);
    return scene;
  }

  /**
   * Kills one instance, and returns how long its item waited for the other: since the kill, and since the end of the
   * session.
   */
  async takeover() {
    const { side, jobName, survivor, victim, reader } = this;
    const [{ item }] = victim.runsOf(jobName);
    const takeover = () => survivor.runsOf(jobName).find((run) => run.item === item);
    const registered = `/crash-${side}/${jobName}/instances`;
    const name = (await reader.children(registered)).find((each) => each.startsWith(victim.id));
    const killedAt = Date.now();
    await victim.kill();
    const isOver = async () => !(await reader.holds(`${registered}/${name}`));
    await until(isOver, `the session of ${side}'s victim to end`, 30_000);
    const endedAt = Date.now();
    await until(() => takeover() !== undefined, `${side} to take over an item`, 30_000);
    await survivor.ask('stop', jobName);
    return { sinceKill: takeover().startedAt - killedAt, sinceEnd: takeover().startedAt - endedAt };
  }
}
