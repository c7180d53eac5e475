import { ConsoleProblem } from '../../answers/console-problem.js';
import { LOCAL } from '../../security/callers/account.js';
import { LONGEST_PASSWORD } from '../../security/passwords/password-hash.js';
import { readFields, text } from '../requests.js';
import { type OlderCall } from './older-calls.js';
import { olderController, route } from './older-routes.js';

/** The lifetime of tokens in ElasticJob's console. */
const LIFETIME_MS = 60 * 60_000;

/** Logins of scripts for the console of ElasticJob 3, which get a token and send it as `Access-Token`. */
export const OlderLoginController = olderController('OlderLoginController', 'api/login', [
  route('public', 'POST ', 'Returns a token that is valid for an hour.', login),
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
