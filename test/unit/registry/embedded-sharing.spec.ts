import { afterEach, describe, expect, test } from '@jest/globals';
import {
  EmbeddedRegistryCenter,
  type EmbeddedRegistryCenterOptions,
} from '../../../lib/registry/embedded/embedded-registry-center.js';
import { EmbeddedRegistryServer } from '../../../lib/registry/embedded/embedded-registry-server.js';
import { untilConnected } from '../../../lib/testing/contract/stage.js';

describe('Embedded registry centres', () => {
  const opened: EmbeddedRegistryCenter[] = [];
  const open = async (options?: EmbeddedRegistryCenterOptions): Promise<EmbeddedRegistryCenter> => {
    const centre = new EmbeddedRegistryCenter(options);
    opened.push(centre);
    centre.connect();
    await untilConnected(centre);
    return centre;
  };
  afterEach(() => Promise.all(opened.splice(0).map((centre) => centre.close())));

  test('of one namespace share their nodes, those of another do not', async () => {
    const [a, b, other] = [await open(), await open(), await open({ namespace: 'other' })];

    await a.put('/a', 'x');

    expect(await b.get('/a')).toBe('x');
    expect(await other.get('/a')).toBeUndefined();
  });

  test('keep persistent nodes while one of them is open, and start empty after the last has closed', async () => {
    const [a, b] = [await open(), await open()];
    await a.put('/a', 'x');
    await a.close();
    expect(await b.get('/a')).toBe('x');
    const c = await open();
    await b.close();
    await b.close();
    expect(await c.get('/a')).toBe('x');
    await c.close();

    const later = await open();

    expect(await later.get('/a')).toBeUndefined();
  });

  test('that were never connected, or are connected after they were closed, keep no server', async () => {
    const idle = new EmbeddedRegistryCenter();
    const a = await open();
    await a.put('/a', 'x');
    await idle.close();
    idle.connect();
    await a.close();

    const later = await open();

    expect(await later.get('/a')).toBeUndefined();
  });

  test('of a server of their own share it by namespace, and find it as they left it', async () => {
    const server = new EmbeddedRegistryServer();
    const [a, other, elsewhere] = [await open({ server }), await open({ server, namespace: 'other' }), await open()];
    await a.put('/a', 'x');
    await a.close();

    const later = await open({ server });

    expect(await later.get('/a')).toBe('x');
    expect(await other.get('/a')).toBeUndefined();
    expect(await elsewhere.get('/a')).toBeUndefined();
  });

  test('describe where they are', () => {
    expect(new EmbeddedRegistryCenter().description).toBe("embedded registry in this process, namespace 'elasticjob'");
  });
});
