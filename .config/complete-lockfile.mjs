/**
 * Adds optional packages for other platforms to package-lock.json, which `npm install` leaves out if the registry in
 * use does not have them. `npm ci` refuses a lockfile without them, on every platform. Run it after changing
 * dependencies:
 *
 *   npm run lockfile
 *
 * The versions are those that the depending packages ask for exactly; the platform is read from the package's name.
 */
import { readFileSync, writeFileSync } from 'node:fs';

const OPERATING_SYSTEMS = [
  'aix',
  'android',
  'darwin',
  'freebsd',
  'linux',
  'netbsd',
  'openbsd',
  'openharmony',
  'sunos',
  'win32',
];
const PROCESSORS = ['arm', 'arm64', 'ia32', 'loong64', 'ppc64', 'riscv64', 's390x', 'x64'];
const C_LIBRARIES = { gnu: 'glibc', musl: 'musl' };

const file = new URL('../package-lock.json', import.meta.url);
const lock = JSON.parse(readFileSync(file, 'utf8'));

for (const { dev, devOptional, optionalDependencies = {} } of Object.values(lock.packages)) {
  for (const [name, version] of Object.entries(optionalDependencies)) {
    const isLocked = Object.keys(lock.packages).some((path) => path.endsWith(`node_modules/${name}`));
    const platform = platformOf(name);
    if (isLocked || platform === undefined) continue;
    if (!/^\d+\.\d+\.\d+/.test(version)) throw new Error(`${name} is wanted as ${version}, which is no exact version.`);
    lock.packages[`node_modules/${name}`] = {
      version,
      cpu: [platform.cpu],
      ...(dev && { dev }),
      ...(devOptional && { devOptional }),
      ...(platform.libc && { libc: [platform.libc] }),
      optional: true,
      os: [platform.os],
    };
    console.log(`added ${name} ${version}`);
  }
}

lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => a.localeCompare(b, 'en')));
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);

/** `@swc/core-linux-arm64-gnu` is for os linux, cpu arm64, libc glibc; undefined if the name has no platform. */
function platformOf(name) {
  const words = name.split(/[/-]/);
  const os = words.find((word) => OPERATING_SYSTEMS.includes(word));
  const cpu = words.find((word) => PROCESSORS.includes(word));
  if (os === undefined || cpu === undefined) return undefined;
  return { os, cpu, libc: C_LIBRARIES[words.at(-1)] };
}
