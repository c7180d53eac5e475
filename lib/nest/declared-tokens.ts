import { type FactoryProvider } from '@nestjs/common';
import { JobBootstraps } from './job-bootstraps.js';
import { type JobHandle } from './job-handle.js';

/**
 * The tokens under which bootstraps are injected. Nest must know them before any job is discovered, so they are noted when
 * decorators and options are read. They belong to the process: a token of another application in it is bound to nothing
 * here, and says so when it is used.
 *
 * Nest reads these lists when all modules have been loaded, whatever the order in which their files are evaluated.
 */
export const declaredTokens: string[] = [];

/** A provider for each declared token; grows with `declaredTokens`. */
export const declaredProviders: FactoryProvider<JobHandle>[] = [];

/** Notes that a bootstrap may be injected under `token`. */
export function declareToken(token: unknown): void {
  if (typeof token !== 'string' || token === '' || declaredTokens.includes(token)) return;
  declaredTokens.push(token);
  declaredProviders.push({
    provide: token,
    useFactory: (bootstraps: JobBootstraps) => bootstraps.handle(token),
    inject: [JobBootstraps],
  });
}
