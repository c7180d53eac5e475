/** A test as a user writes it: of three instances in one process one dies, and another one runs what it was running. */
import { type ClusterEvent, TestCluster } from 'nestjs-elasticjob/testing';

async function main(): Promise<void> {
  const cluster = await TestCluster.start(['A', 'B', 'C'], {
    job: { shardingTotalCount: 3, failover: true, cron: '0 0 * * * ?' },
    work: (instance) => (instance === 'A' ? new Promise(() => undefined) : undefined),
  });
  await cluster.fire();
  cluster.kill('A');
  await cluster.advance('10s');
  const rescue: ClusterEvent | undefined = cluster.events.find(({ type }) => type === 'taken-over');
  if (rescue?.type !== 'taken-over') throw new Error(`Nobody took over:\n${cluster.story.join('\n')}`);
  console.log(`${rescue.instance} took over item ${rescue.item}`);
  await cluster[Symbol.asyncDispose]();
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
