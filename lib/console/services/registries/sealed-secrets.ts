import { ConsoleProblem } from '../../http/console-problem.js';
import { type ConsoleServiceOptions, type SecretSeal } from '../console-service-options.js';

/** What seals secrets. @throws ConsoleProblem 409 if no key is set */
export function requireSeal({ secrets }: ConsoleServiceOptions): SecretSeal {
  if (secrets?.isAvailable === true) return secrets;
  throw new ConsoleProblem(
    409,
    'no-secret-key',
    'Secrets cannot be stored: the console has no key to encrypt them. Set EJC_SECRET_KEY, or put the connection into the settings.',
  );
}
