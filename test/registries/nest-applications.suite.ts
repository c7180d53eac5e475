/* eslint-disable jest/no-export -- a suite that the specs of several registry centres call */
/** Nest applications that share a job, with nothing but the address of the registry centre in their settings. */
import { expect, test } from '@jest/globals';
import { ElasticJobHealth } from '../../lib/nest/elastic-job.health.js';
import { createRegistryCenter } from '../../lib/settings/create-registry-center.js';
import { application } from '../databases/support/nest-application.js';
import { until } from '../support/until.js';
import { refusalOf, started } from '../unit/nest/application.js';
import { newNamespace, type RegistryKind, silent } from './registry-kind.js';

/** What is wrong, the settings of `regCenter`, and lines of the refusal. */
export type WrongSettings = readonly [
  what: string,
  regCenter: Readonly<Record<string, unknown>>,
  refusals: readonly string[],
];

/** Two applications with these settings, and settings that are refused at start. */
export function nestApplications(kind: RegistryKind, wrongSettings: readonly WrongSettings[]): void {
  const server = kind.shared();

  test('share the items of a job, and one takes over all of them when the other ends', async () => {
    const regCenter = server.regCenter({ namespace: newNamespace(), sessionTimeoutMilliseconds: 4_000 });
    const [one, other] = [application({ ...regCenter }), application({ ...regCenter })];
    await using first = await started(one.metadata);
    const second = await started(other.metadata);

    const itemsOf = ({ ran }: typeof one): ReadonlySet<number> => new Set(ran.slice(-4).map(({ item }) => item));
    await until(() => itemsOf(one).size === 2 && itemsOf(other).size === 2, 'each runs two items');
    await second.close();
    const before = one.ran.length;
    await until(() => new Set(one.ran.slice(before).map(({ item }) => item)).size === 4, 'one runs all items');

    const firings = [...one.ran, ...other.ran].map(({ item, scheduledAt }) => `${item} at ${scheduledAt}`);
    expect(new Set(firings).size).toBe(firings.length);
    expect(one.logger.lines.join('\n')).toContain(createRegistryCenter(regCenter, silent).description);
    expect(first.get(ElasticJobHealth).isHealthy()).toMatchObject({ elasticjob: { status: 'up' } });
  });

  test.each(wrongSettings)(
    'with %s are refused at start, with key path and what would be right',
    async (_, regCenter, refusals) => {
      const lines = await refusalOf(application(regCenter).metadata);

      for (const refusal of refusals) expect(lines).toContainEqual(expect.stringContaining(refusal));
    },
  );
}
