import { ConsoleProblem } from '../../answers/console-problem.js';
import { LOCAL } from '../../security/callers/account.js';
import { LONGEST_PASSWORD } from '../../security/passwords/password-hash.js';
import { readFields, text } from '../fields.js';
import { type OlderCall } from './older-calls.js';
import { olderController, route } from './older-routes.js';

/** As long as a token of ElasticJob's console is valid. */
const LIFETIME_MS = 60 * 60_000;

/** Logging in as scripts for the console of ElasticJob 3 do: for a token that they send as `Access-Token`. */
export const OlderLoginController = olderController('OlderLoginController', 'api/login', [
  route('public', 'POST ', 'A token for an hour.', login),
]);

async function login({ services, request }: OlderCall, body: unknown): Promise<unknown> {
  if (services.setup.isNeeded)
    throw new ConsoleProblem(403, 'setup-needed', 'The console has no administrator yet: make one on its page.');
  const given = readFields(body, { username: text(200), password: text(LONGEST_PASSWORD) });
  const { username, role } = await services.passwords.check({ ...given, request });
  const { secret } = await services.tokens.issue({
    ...{ name: 'login', account: { username, provider: LOCAL }, role },
    ...{ lifetimeMs: LIFETIME_MS, keep: 'short' },
  });
  return { username, accessToken: secret, isGuest: role === 'guest' };
}
