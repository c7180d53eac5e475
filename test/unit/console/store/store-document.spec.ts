import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { RegistryConsoleStore } from '../../../../lib/console/store/registry-store.js';
import { StoreDocument } from '../../../../lib/console/store/store-document.js';
import { EmbeddedRegistryCenter } from '../../../../lib/registry/embedded/embedded-registry-center.js';
import { EmbeddedRegistryServer } from '../../../../lib/registry/embedded/embedded-registry-server.js';
import { systemClock } from '../../../../lib/time/clock.js';
import { until } from '../../../support/until.js';

const FORMAT = { initial: [] as readonly string[], parse: (stored: unknown) => stored as readonly string[] };
const logger = { error: () => undefined };

let server: EmbeddedRegistryServer;
let stores: RegistryConsoleStore[];
beforeEach(() => {
  server = new EmbeddedRegistryServer();
  stores = [];
});
afterEach(() => Promise.all(stores.map((store) => store.onApplicationShutdown())));

async function aStore(): Promise<RegistryConsoleStore> {
  const center = new EmbeddedRegistryCenter({ namespace: 'console', server });
  const store = await RegistryConsoleStore.open({ center, isOurs: true, clock: systemClock, logger });
  stores.push(store);
  return store;
}

const aDocument = async (): Promise<StoreDocument<readonly string[]>> =>
  StoreDocument.open(await aStore(), 'names', FORMAT);

describe('a document that several replicas share', () => {
  test('keeps all changes that they make at the same time, also the first ones', async () => {
    const documents = [await aDocument(), await aDocument(), await aDocument()];
    const names = Array.from({ length: 30 }, (_, index) => `name ${index}`);

    await Promise.all(names.map((name, index) => documents[index % 3]!.update((all) => [...all, name])));

    for (const document of documents) {
      await until(() => document.value.length === 30, 'all are seen');
      expect([...document.value].sort()).toEqual([...names].sort());
    }
  });

  test('shows a change to its own replica at once, and to others by itself', async () => {
    const [one, other] = [await aDocument(), await aDocument()];
    const heard: (readonly string[])[] = [];
    other.onChange((value) => heard.push(value));

    await one.update(() => ['orders']);

    expect(one.value).toEqual(['orders']);
    await until(() => heard.length > 0, 'the other one hears of it');
    expect(heard).toEqual([['orders']]);
  });

  test('is written neither if nothing changes nor if the change throws', async () => {
    const document = await aDocument();

    await document.update((all) => all);
    await expect(
      document.update(() => {
        throw new Error('refused');
      }),
    ).rejects.toThrow('refused');

    expect(stores[0]!.seen('names')).toBeUndefined();
    expect(document.value).toEqual([]);
  });
});

test('a document that nobody keeps is changed in memory', async () => {
  const document = StoreDocument.unsaved(1);

  expect(await document.update((value) => value + 1)).toBe(2);
  expect(document.value).toBe(2);
  expect(document.isShared).toBe(false);
});
