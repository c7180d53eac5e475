import { expect, test } from '@jest/globals';
import { RegistryRefusedError } from '../../../lib/api/errors/errors.js';
import { type Delivery } from '../../../lib/registry/embedded/delivery.js';
import { EmbeddedRegistryCenter } from '../../../lib/registry/embedded/embedded-registry-center.js';
import { EmbeddedRegistryServer } from '../../../lib/registry/embedded/embedded-registry-server.js';
import { QueuedHold } from '../../../lib/registry/queued-hold.js';
import { ManualClock } from '../../../lib/testing/manual-clock.js';
import { until } from '../../support/until.js';

/** A registry centre that refuses removals, as one does whose user has lost a right. */
class Unremovable extends EmbeddedRegistryCenter {
  override remove(path: string): Promise<boolean> {
    return Promise.reject(new RegistryRefusedError('remove', path, 'there is no right to do so'));
  }
}

const REPORTED = [expect.stringMatching(/^The place \/held\/turn-\S+ in a queue could not be given up, .*no right/)];

/** A centre whose messages can be withheld, and a hold of `/held` by it. */
async function stage() {
  const withheld: (() => void)[] = [];
  const network = { isOpen: true };
  const deliver = ({ arrive }: Delivery): void =>
    network.isOpen ? void setImmediate(arrive) : void withheld.push(arrive);
  const clock = new ManualClock();
  const centre = new Unremovable({ server: new EmbeddedRegistryServer({ deliver, clock }), clock });
  centre.connect();
  await until(() => centre.session.state.phase === 'connected', 'the centre is connected');
  const errors: string[] = [];
  const logger = { error: (line: string) => void errors.push(line) };
  return {
    ...{ centre, clock, errors, hold: new QueuedHold(centre, '/held', { clock, logger }) },
    withhold: () => void (network.isOpen = false),
    release: () => {
      network.isOpen = true;
      for (const arrive of withheld.splice(0)) arrive();
    },
    [Symbol.asyncDispose]: () => centre.close(),
  };
}

test('a place that is refused to be given up after the task fails the call', async () => {
  await using each = await stage();

  await expect(each.hold.during(1_000, () => Promise.resolve('done'))).rejects.toThrow(RegistryRefusedError);
  expect(each.errors).toEqual([]);
});

test('a place that comes after the call has given up waiting, and cannot be given up, is reported', async () => {
  await using each = await stage();
  each.withhold();
  const refusal = each.hold.during(1_000, () => Promise.resolve()).catch((error: unknown) => error);

  await each.clock.advance(1_000);
  expect(String(await refusal)).toContain('the hold of /held');
  expect(each.errors).toEqual([]);
  each.release();

  await until(() => each.errors.length > 0, 'the place is reported');
  expect(each.errors).toEqual(REPORTED);
});

test('a place that cannot be given up when the same session is connected again is reported', async () => {
  await using each = await stage();
  const { centre, hold, errors } = each;
  const call = hold.during(1_000, async (signal) => {
    centre.faults.disconnect();
    await until(() => signal.aborted, 'the hold is broken');
  });
  await call;
  expect(errors).toEqual([]);

  centre.faults.resume();

  await until(() => errors.length > 0, 'the place is reported');
  expect(errors).toEqual(REPORTED);
});

test('a place vanishes with its session: there is nothing to give up in the next one', async () => {
  await using each = await stage();
  const { centre, hold, errors } = each;
  await hold.during(1_000, async (signal) => {
    centre.faults.expire();
    centre.faults.disconnect();
    await until(() => signal.aborted, 'the hold is broken');
  });

  centre.faults.resume();
  await until(() => centre.session.state.phase === 'connected', 'the next session');

  expect(await centre.children('/held')).toEqual([]);
  expect(errors).toEqual([]);
});
