import { describe, expect, test } from '@jest/globals';
import { EndRecords } from '../../../lib/kernel/marks/end-records.js';
import { ItemMarks } from '../../../lib/kernel/marks/item-marks.js';
import { JobWatch } from '../../../lib/kernel/view/job-watch.js';
import { JobPaths } from '../../../lib/layout/job-paths.js';
import { isPresenceOnly, JobViewReader } from '../../../lib/layout/job-view.js';
import { ZookeeperRegistryCenter } from '../../../lib/registry/zookeeper/zookeeper-registry-center.js';
import { systemClock } from '../../../lib/time/clock.js';
import { sharedZooKeeper } from '../../support/shared-zookeeper.js';
import { anItem, idOf, ipOf } from '../../support/views.js';
import { NamedTimers } from '../../../lib/async/named-timers.js';
import { HeldItems } from '../../../lib/kernel/view/held-items.js';
import { type JobTimer } from '../../../lib/kernel/job/job-context.js';
import { JobLog } from '../../../lib/kernel/job/job-log.js';

const zooKeeper = sharedZooKeeper();
const paths = new JobPaths('bill');
const logger = { debug: () => undefined, log: () => undefined, warn: () => undefined, error: () => undefined };
const never = new AbortController().signal;

describe('marks', () => {
  // So it is in a process that was suspended: it fires before it has heard that its session is over.
  test('that were to be made while there was no session do not live with the next one', async () => {
    const namespace = zooKeeper.namespace();
    const configuration = { serverLists: zooKeeper.servers, namespace, sessionTimeoutMilliseconds: 20_000 };
    const peer = new ZookeeperRegistryCenter(configuration);
    peer.connect();
    await peer.create(paths.item(0), '');
    const mirror = await peer.mirror(paths.root, { presenceOnly: isPresenceOnly });
    const watch = new JobWatch(mirror, new JobViewReader('bill'), systemClock);

    const registry = new ZookeeperRegistryCenter(configuration);
    const context = {
      ...{ registry, watch, paths, me: idOf('A'), clock: systemClock, held: new HeldItems() },
      instance: { jobInstanceId: idOf('A'), serverIp: ipOf('A') },
      logger: new JobLog(logger, { jobName: 'bill', instance: idOf('A') }),
      timers: new NamedTimers<JobTimer>(systemClock),
      requestReconcile: () => undefined,
    };
    const marks = new ItemMarks({ ...context, ends: new EndRecords(context) });
    const items = [anItem(0, { owner: idOf('A') })];
    const beginning = marks.begin(items, { instant: undefined, view: watch.view }, never);
    registry.connect();
    expect(await beginning).toEqual({ items: [], isComplete: false });

    expect(await peer.get(paths.item(0, 'running'))).toBeUndefined();
    await Promise.all([peer.close(), registry.close()]);
  });
});
