// From SIGKILL of an instance in the middle of an item until its peer has begun that item again; session 4 s.
import { Child } from '../support/children.mjs';
import { median, number, table } from '../support/report.mjs';
import { setTimeout as sleep } from 'node:timers/promises';

const SESSION_MS = 4_000;
const DEADLINE_MS = 60_000;
const MODULE = new URL('crashing-instance.mjs', import.meta.url);

export async function measure(servers, { rounds }) {
  const times = await Promise.all(
    Object.entries(servers).map(async ([registry, server]) => {
      const found = [];
      for (let round = 0; round < rounds; round++) found.push(await crash(registry, server, round));
      return [registry, found];
    }),
  );
  const rows = times.map(([registry, found]) => {
    const middle = median(found);
    return [registry, number(Math.min(...found), 0), number(middle, 0), number(Math.max(...found), 0)];
  });
  return table([`crash → takeover, session ${SESSION_MS} ms`, 'least ms', 'median ms', 'greatest ms'], rows);
}

async function crash(registry, server, round) {
  const address = server.direct ?? server.address;
  const settings = { registry, address, namespace: `bench-takeover-${round}`, sessionMs: SESSION_MS };
  const survivor = await Child.start(MODULE, { ...settings, endless: false });
  const victim = await Child.start(MODULE, { ...settings, endless: true });
  await until(async () => (await victim.ask('begun')).length > 0, 'the victim runs an item');
  // Not all in the same phase of the heartbeats.
  await sleep(Math.random() * 1_500);
  const [{ item, scheduledAt }] = await victim.ask('begun');
  const killedAt = Date.now();
  await victim.kill();
  const takeover = async () =>
    (await survivor.ask('begun')).find((each) => each.item === item && each.scheduledAt === scheduledAt);
  await until(async () => (await takeover()) !== undefined, `the takeover of item ${item}`);
  const { at } = await takeover();
  await survivor.stop();
  return at - killedAt;
}

async function until(condition, what) {
  const end = performance.now() + DEADLINE_MS;
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`Not within ${DEADLINE_MS} ms: ${what}`);
    await sleep(50);
  }
}
