// Memory and threads of a process with 1, 100 and 1,000 jobs that wait for their next firing, and how long it takes to
// register them, as applications do: Java's one after the other, for each of its calls waits; Node's side by side.
import { inTurn } from './times.mjs';

const MOST_ROUNDS = 3;
const STEPS = [1, 100];
/** Once only: that many take a while. */
const LAST_STEPS = [1, 100, 1_000];
/** So that no command takes longer than its answer is waited for. */
const JOBS_A_COMMAND = 100;

export async function memory({ sides, instances, results, rounds }) {
  const last = Math.min(rounds, MOST_ROUNDS);
  for (let round = 1; round <= last; round++) {
    for (const side of inTurn(sides, round)) {
      const member = await instances.start(side, { namespace: `memory-${side}-${round}` });
      let count = 0;
      let ms = 0;
      for (const step of round === last ? LAST_STEPS : STEPS) {
        const began = performance.now();
        while (count < step) {
          const until = Math.min(step, count + JOBS_A_COMMAND);
          const jobs = Array.from({ length: until - count }, (_, index) => job(count + index));
          await member.ask('start', ...jobs);
          count = until;
        }
        ms += performance.now() - began;
        await take(member, count, ms, results);
      }
      await member.kill();
    }
  }
}

const job = (number) => ({ jobName: `job-${number}`, shardingTotalCount: 1, cron: '0 0 0 1 1 ?' });

async function take(member, count, ms, results) {
  const jobs = count === 1 ? '1 job' : `${count.toLocaleString('en')} jobs`;
  const { heapBytes } = await member.ask('memory');
  const { residentMiB, threads } = member.footprint;
  results.add(`${jobs}: heap in use after a collection`, member.side, [heapBytes / 2 ** 20], { unit: 'MiB' });
  results.add(`${jobs}: resident memory`, member.side, [residentMiB], { unit: 'MiB' });
  results.add(`${jobs}: threads`, member.side, [threads], { unit: 'threads' });
  results.add(`${jobs}: registered`, member.side, [ms / 1_000], { unit: 's' });
}
