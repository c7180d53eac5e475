import { RECORDED } from './golden-records.js';
import { JAVA_VERSIONS } from './java.js';
import { type MixedCluster } from './mixed-cluster.js';
import { type JobSettings, type Peer } from './peer.js';

/** The maker of a tree: a release of Java, or Node for peers of that release. */
export interface Side {
  readonly name: string;
  readonly language: 'Java' | 'Node';
  readonly version: string;
}

/** The releases of Java that this run has. */
export const JAVA: readonly Side[] = JAVA_VERSIONS.map((version) => ({
  name: `Java ${version}`,
  language: 'Java',
  version,
}));

/** For the releases that are on record. */
export const NODE: readonly Side[] = RECORDED.map((version) => ({
  name: `Node for peers of ${version}`,
  language: 'Node',
  version,
}));

/**
 * Starts an instance that has no job yet. Instances are known by their addresses, which decide how items are shared.
 */
export async function startInstance(cluster: MixedCluster, { language, version }: Side, ip: string): Promise<Peer> {
  const name = `${language === 'Node' ? 'N' : 'J'}${ip}`;
  return cluster.start(name, { ip, job: false, version });
}

/** Starts a job, with the thread-pool setting by the name it has there. */
export async function startJob(peer: Peer, { version }: Side, settings: JobSettings): Promise<void> {
  const { jobExecutorThreadPoolSizeProviderType: threadPool, ...others } = settings;
  const name = version === '3.0.4' ? 'jobExecutorServiceHandlerType' : 'jobExecutorThreadPoolSizeProviderType';
  await peer.begin(threadPool === undefined ? others : { ...others, [name]: threadPool });
}
