import { readFileSync } from 'node:fs';

import { type JobConfiguration } from '../../../lib/api/job/job-configuration.js';
import { type MirroredNode } from '../../../lib/registry/registry-center.js';

/** A node as Java ElasticJob 3.0.5 left it on a ZooKeeper server. */
export interface StoredNode {
  readonly data: string;
  readonly lifetime: 'persistent' | 'session';
  readonly session?: string;
  readonly version: number;
  readonly revision: number;
}

/** Jobs started by Java 3.0.5, and all nodes they made. In the job `mixed` a second, foreign instance took part. */
export const javaTrees = load<{
  readonly configurations: readonly JobConfiguration[];
  readonly nodes: Readonly<Record<string, StoredNode>>;
}>('java-3.0.5-trees');

/** Random configurations, what Java 3.0.5 writes for them, and what it reads from that if it is not the same. */
export const javaConfigurations =
  load<
    readonly { readonly configuration: JobConfiguration; readonly yaml: string; readonly read?: JobConfiguration }[]
  >('java-3.0.5-configurations');

/**
 * Documents that people might write, and what Java 3.0.5 reads from them (besides its values for absent settings) or
 * says of them.
 */
export const javaReadings =
  load<readonly { readonly yaml: string; readonly reads?: object; readonly refused?: string }[]>('java-3.0.5-readings');

/** Java's nodes as a mirror has them. */
export function mirrored(nodes: Readonly<Record<string, StoredNode>>): ReadonlyMap<string, MirroredNode> {
  return new Map(
    Object.entries(nodes).map(([path, { data, version, revision, session }]) => [
      path,
      { value: data, version, revision, session },
    ]),
  );
}

function load<T>(name: string): T {
  return JSON.parse(readFileSync(new URL(`./fixtures/${name}.json`, import.meta.url), 'utf8')) as T;
}
