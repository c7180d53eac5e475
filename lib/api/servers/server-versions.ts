/** The oldest version of etcd that this library works with: earlier ones ignore the number that a watch asks for. */
export const OLDEST_ETCD = '3.4';

/** True if a version of etcd, such as `3.3.27`, is too old; false if the text is no version. */
export function isOldEtcd(version: string): boolean {
  const [oldMajor = 0, oldMinor = 0] = OLDEST_ETCD.split('.').map(Number);
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major < oldMajor || (major === oldMajor && minor < oldMinor);
}
