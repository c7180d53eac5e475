import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Controller, Get, Inject } from '@nestjs/common';
import { type ConsoleMeta } from '../contract/session.js';
import { type ElasticJobConsoleOptions } from '../options/console-options.js';
import { CONSOLE_OPTIONS } from '../options/console-tokens.js';
import { Permit } from '../security/permit.decorator.js';
import { ConsoleStore } from '../store/console-store.js';
import { ConsoleProblem } from './console-problem.js';
import { packageFolder } from './package-folder.cjs';

/** What the console is, and whether it lives. */
@Controller()
export class MetaController {
  constructor(
    @Inject(CONSOLE_OPTIONS) private readonly options: ElasticJobConsoleOptions,
    @Inject(ConsoleStore) private readonly store: ConsoleStore,
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

  /** The console can read what it keeps. @throws ConsoleProblem 503 `not-ready` if it cannot */
  @Get('readyz')
  @Permit('public')
  async ready(): Promise<{ readonly status: 'ok' }> {
    try {
      await this.store.read('users');
      return { status: 'ok' };
    } catch (cause) {
      throw new ConsoleProblem(503, 'not-ready', 'The console cannot read its state.', { cause });
    }
  }

  /** The process answers. */
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
