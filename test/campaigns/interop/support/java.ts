import { readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { root } from '../../../support/program.js';

/**
 * Java's releases that a run of the suite has built peers for; the first is what tests use unless they say otherwise.
 */
export const JAVA_VERSIONS: readonly string[] = (process.env['INTEROP_JAVA'] ?? '').split(',').filter(Boolean);

/** Small, and quick to start rather than quick in the long run. */
const JVM = ['-Xmx128m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-Xshare:auto'];

/** The command that starts a Java peer of a version, in a virtual machine with these flags. */
export function javaPeer(version: string | undefined, jvm: readonly string[] = JVM): readonly [string, ...string[]] {
  if (version === undefined || !JAVA_VERSIONS.includes(version)) {
    throw new Error(
      `There is no Java peer of ElasticJob ${version}: run this suite by \`npm run test:interop\`, which builds it.`,
    );
  }
  const target = join(root, 'test/campaigns/interop/java-peer/target', version);
  const classPath = [join(target, 'classes'), readFileSync(join(target, 'class-path'), 'utf8').trim()].join(delimiter);
  const logging = ['-Dorg.slf4j.simpleLogger.defaultLogLevel=warn', '-Dorg.slf4j.simpleLogger.showDateTime=true'];
  return ['java', ...jvm, ...logging, '-cp', classPath, 'peer.Main'];
}
