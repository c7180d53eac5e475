/**
 * The browser of the console's tests: Debian's chromium, installed if it is missing, or the one that CHROMIUM names.
 */
import { existsSync } from 'node:fs';
import { installPackage } from './packages.mjs';

const DEBIAN = '/usr/bin/chromium';
const CHINESE = '/usr/share/fonts/truetype/wqy';
const HELP = `The console's tests need Chromium. Do one of these:
  - on Debian or Ubuntu:   sudo apt-get install -y --no-install-recommends chromium
  - installed elsewhere:   CHROMIUM=/path/to/chromium npm run test:console`;

/** @returns the path of the program. @throws if there is none, and it cannot be installed */
export function provideChromium() {
  const given = process.env.CHROMIUM;
  if (given && !existsSync(given)) throw new Error(`CHROMIUM=${given} does not exist.\n${HELP}`);
  if (given) return given;
  if (!existsSync(DEBIAN)) installPackage('chromium', HELP);
  // For people who look at the screenshots.
  if (!existsSync(CHINESE)) installPackage('fonts-wqy-microhei', HELP);
  return DEBIAN;
}
