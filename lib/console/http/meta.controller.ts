import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Controller, Get, Inject } from '@nestjs/common';
import { type Clock } from '../../time/clock.js';
import { type ConsoleMeta } from '../contract/session.js';
import { type ElasticJobConsoleOptions } from '../options/console-options.js';
import { CONSOLE_CLOCK, CONSOLE_OPTIONS } from '../options/console-tokens.js';
import { Permit } from '../security/callers/permit.decorator.js';
import { ConsoleStore } from '../store/console-store.js';
import { ConsoleProblem } from '../answers/console-problem.js';
import { packageFolder } from './package-folder.cjs';

/** The least milliseconds between two readings of the store, for any number of readiness requests. */
const READ_EVERY_MS = 5_000;

/** The description and the health of the console. */
@Controller()
export class MetaController {
  #latestRead: { readonly at: number; readonly result: Promise<unknown> } | undefined;

  constructor(
    @Inject(CONSOLE_OPTIONS) private readonly options: ElasticJobConsoleOptions,
    @Inject(ConsoleStore) private readonly store: ConsoleStore,
    @Inject(CONSOLE_CLOCK) private readonly clock: Clock,
  ) {}

  @Get('api/v1/meta')
  @Permit('read')
  meta(): ConsoleMeta {
    const { environment, connections } = this.options;
    return {
      version: packageVersion(),
      nodeVersion: process.versions.node,
      canAddConnections: (connections?.allow ?? []).length > 0,
      ...(environment !== undefined && { environment }),
    };
  }

  /** Checks that the console can read its store. @throws ConsoleProblem 503 `not-ready` if it cannot */
  @Get('readyz')
  @Permit('public')
  async ready(): Promise<{ readonly status: 'ok' }> {
    try {
      await this.#read();
      return { status: 'ok' };
    } catch (cause) {
      throw new ConsoleProblem(503, 'not-ready', 'The console cannot read its state.', { cause });
    }
  }

  #read(): Promise<unknown> {
    const now = this.clock.monotonic();
    if (this.#latestRead === undefined || now - this.#latestRead.at >= READ_EVERY_MS)
      this.#latestRead = { at: now, result: this.store.read('users') };
    return this.#latestRead.result;
  }

  /** Answers as long as the process lives. */
  @Get('healthz')
  @Permit('public')
  health(): { readonly status: 'ok' } {
    return { status: 'ok' };
  }
}

function packageVersion(): string {
  if (packageFolder === undefined) return 'unknown';
  const { version } = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8')) as {
    readonly version: string;
  };
  return version;
}
