import { instanceYaml } from '../../lib/layout/job-instance.js';
import { type TestCluster } from '../../lib/testing/index.js';
import { idOf, ipOf } from './views.js';

/**
 * A Java instance joins the job as its peers see it: registered, without a sign of life and without a record of what it
 * has begun. It does nothing by itself, and so does not lead either. It vanishes when a test removes its node.
 */
export async function joinJavaInstance(cluster: TestCluster, name: string): Promise<void> {
  const { operator, paths } = cluster;
  await operator.put(paths.server(ipOf(name)), 'ENABLED');
  const yaml = instanceYaml({ jobInstanceId: idOf(name), serverIp: ipOf(name) });
  await operator.create(paths.instance(idOf(name)), yaml, 'session');
  await cluster.settle();
}
