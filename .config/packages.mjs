/** Programs of the system that the tests need. */
import { existsSync } from 'node:fs';
import { quietly } from './prepare.mjs';

/**
 * Installs a package of Debian's.
 * @param help what to do where that is not possible
 * @throws if it cannot be installed
 */
export function installPackage(name, help) {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) {
    throw new Error(`Neither found here nor installable (that takes root on Debian): ${name}.\n${help}`);
  }
  const options = {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    timeout: 10 * 60_000,
  };
  process.stderr.write(`Installing Debian's ${name} …\n`);
  try {
    quietly('apt-get', ['update', '-q'], options);
    quietly(
      'apt-get',
      ['install', '-q', '-y', '--no-install-recommends', '-o', 'DPkg::Lock::Timeout=120', name],
      options,
    );
  } catch (error) {
    throw new Error(`Debian's package ${name} could not be installed.\n${help}\n\n${error.message}`, { cause: error });
  }
}

/**
 * Makes sure that there is an etcd, of which tests start servers of their own.
 * @throws if there is none, and it cannot be installed
 */
export function provideEtcd() {
  if (process.env.ETCD !== undefined || isInPath('etcd')) return;
  installPackage(
    'etcd-server',
    `The tests need the program etcd (3.4 or later), of Debian's package etcd-server for instance; or name it by ETCD.`,
  );
}

/**
 * Makes sure that there is `nc`, by which the documents ask a dump port.
 * @throws if there is none, and it cannot be installed
 */
export function provideNetcat() {
  if (isInPath('nc')) return;
  installPackage('netcat-openbsd', "The tests need the program nc, of Debian's package netcat-openbsd for instance.");
}

function isInPath(program) {
  const folders = (process.env.PATH ?? '').split(':');
  return folders.some((folder) => existsSync(`${folder}/${program}`));
}
