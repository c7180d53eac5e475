import { expect, test } from '@jest/globals';
import { DoctorAPI } from '../../../lib/operations/doctor-api.js';
import {
  EmbeddedRegistryCenter,
  type EmbeddedRegistryCenterOptions,
} from '../../../lib/registry/embedded/embedded-registry-center.js';
import { EmbeddedRegistryServer } from '../../../lib/registry/embedded/embedded-registry-server.js';
import { type RegistryCenter } from '../../../lib/registry/registry-center.js';

async function connected(options: EmbeddedRegistryCenterOptions): Promise<EmbeddedRegistryCenter & AsyncDisposable> {
  const centre = new EmbeddedRegistryCenter(options);
  const ready = new Promise<void>((resolve) => {
    centre.session.onChange(({ phase }) => phase === 'connected' && resolve());
  });
  centre.connect();
  await ready;
  return Object.assign(centre, { [Symbol.asyncDispose]: () => centre.close() });
}

test('the doctor has nothing to say of an embedded registry', async () => {
  await using centre = await connected({ server: new EmbeddedRegistryServer() });

  const { findings, unknown } = await new DoctorAPI(centre).examine();

  expect({ findings, unknown }).toEqual({ findings: [], unknown: [] });
});

test('the doctor says that it has not examined the servers of a registry centre that has no serverReport()', async () => {
  await using centre = await connected({ server: new EmbeddedRegistryServer() });
  const bare: RegistryCenter = Object.assign(centre, { serverReport: undefined });

  const { unknown } = await new DoctorAPI(bare).examine();

  expect(unknown).toEqual(['The servers were not examined, as this registry centre has no serverReport().']);
});
