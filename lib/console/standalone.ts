/** The console in its own process, without an application, for `npx elasticjob console`. */
import { readFileSync } from 'node:fs';
import { type AddressInfo } from 'node:net';
import { type INestApplication, type LoggerService, Module } from '@nestjs/common';
import { type AbstractHttpAdapter, NestFactory } from '@nestjs/core';
import { type NestExpressApplication } from '@nestjs/platform-express';
import { describeCause } from '../api/text/describe-cause.js';
import { InvalidConfigurationError } from '../api/errors/errors.js';
import { ElasticJobConsoleModule } from './console.module.js';
import { type ConsoleUserSettings, type ElasticJobConsoleOptions } from './options/console-options.js';
import { isModuleMissing } from './options/missing-package.js';
import { Registries } from './services/registries/registries.js';
import { isShippedDefault } from './security/passwords/password-hash.js';
import { isLoopback } from './security/callers/trusted-proxies.js';

/** Options of a standalone console. */
export interface StandaloneOptions {
  /** 0 takes a free port. */
  readonly port: number;
  readonly host: string;
  readonly console: ElasticJobConsoleOptions;
  /** Paths of PEM files. */
  readonly tls?: { readonly cert: string; readonly key: string };
  /** True allows plain HTTP on an address that others can reach. */
  readonly allowsInsecureHttp: boolean;
  readonly logger: LoggerService;
}

/** A running console. */
export interface StandaloneConsole {
  /** `http://127.0.0.1:8899` */
  readonly url: string;
  /** Stops the console, with all open streams. */
  close(): Promise<void>;
}

/**
 * Starts the console.
 * @throws InvalidConfigurationError if the options cannot be used, would not be safe on that address, or a package is
 *   missing
 */
export async function startConsole(options: StandaloneOptions): Promise<StandaloneConsole> {
  const problems = addressProblems(options);
  if (problems.length > 0) throw new InvalidConfigurationError(problems);
  const { port, host, tls, logger } = options;
  @Module({ imports: [ElasticJobConsoleModule.forRoot({ path: '/', ...options.console })] })
  class StandaloneModule {}
  const httpsOptions = tls && { cert: readPem('cert', tls.cert), key: readPem('key', tls.key) };
  const app = await NestFactory.create<NestExpressApplication>(StandaloneModule, await expressAdapter(), {
    logger,
    abortOnError: false,
    ...(httpsOptions !== undefined && { httpsOptions }),
  });
  app.useBodyParser('json', { limit: LONGEST_BODY });
  try {
    await app.init();
    // The jobs are read before the server listens, so that the first requests are answered at once.
    await app.get(Registries, { strict: false }).followAlways();
    await app.listen(port, host);
  } catch (error) {
    await app.close();
    const problem = listenProblem((error as { readonly code?: unknown } | null)?.code, { host, port });
    throw problem === undefined ? error : new InvalidConfigurationError([problem], { cause: error });
  }
  return { url: urlOf(app, { host, scheme: tls === undefined ? 'http' : 'https' }), close: () => app.close() };
}

/** Enough for the settings of a job with many item parameters: ZooKeeper stores up to a megabyte. */
const LONGEST_BODY = '2mb';

/**
 * The problems of an address that others can reach: connections must be encrypted, here or by a proxy, and shipped
 * passwords are refused.
 */
function addressProblems({ host, tls, allowsInsecureHttp, console }: StandaloneOptions): readonly string[] {
  if (isLoopback(host) || host === 'localhost') return [];
  const { users = [], trustedProxies = [] } = console;
  const isEncrypted = tls !== undefined || trustedProxies.length > 0;
  // If it is no list, the check of the options says so.
  const given: readonly ConsoleUserSettings[] = users instanceof Array ? users : [];
  const defaults = given.filter(({ username, password = '' }) => isShippedDefault(username, password));
  return [
    ...(isEncrypted || allowsInsecureHttp
      ? []
      : [
          `The console would send passwords in clear on ${host}: give console.tls.cert and console.tls.key, name the proxy that ends TLS in console.trustedProxies, or give --insecure-http if you know better.`,
        ]),
    ...defaults.map(
      ({ username }) =>
        `console.users: '${username}' has a password that everybody knows, and the console would listen on ${host}. Give another password, or listen on this machine only.`,
    ),
  ];
}

async function expressAdapter(): Promise<AbstractHttpAdapter> {
  try {
    const { ExpressAdapter } = await import('@nestjs/platform-express');
    const adapter = new ExpressAdapter();
    adapter.disable('x-powered-by');
    return adapter;
  } catch (cause) {
    const reason = isModuleMissing(cause, '@nestjs/platform-express')
      ? 'the package @nestjs/platform-express is not installed: npm install @nestjs/platform-express'
      : `@nestjs/platform-express cannot be loaded: ${describeCause(cause)}`;
    throw new InvalidConfigurationError([`The console cannot listen, as ${reason}`], { cause });
  }
}

function readPem(name: string, file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (cause) {
    throw new InvalidConfigurationError([`console.tls.${name}: must be a PEM file: ${describeCause(cause)}`], {
      cause,
    });
  }
}

function urlOf(app: INestApplication, { host, scheme }: { readonly host: string; readonly scheme: string }): string {
  const { port } = (app.getHttpServer() as { address(): AddressInfo }).address();
  return `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}/`;
}

/** The problem with the address to listen on; `undefined` for other errors. */
function listenProblem(
  code: unknown,
  { host, port }: { readonly host: string; readonly port: number },
): string | undefined {
  switch (code) {
    case 'EADDRINUSE':
      return `--port: another program listens on ${host}:${port} already; give another port, such as --port ${port + 1}`;
    case 'EACCES':
      return `--port: this user may not listen on port ${port}; give one above 1023, such as --port 8899`;
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `--host: the name ${host} has no address; give an address of this machine, or 0.0.0.0 for all`;
    case 'EADDRNOTAVAIL':
    case 'EINVAL':
      return `--host: this machine has no address ${host}; give one that it has, or 0.0.0.0 for all`;
    default:
      return undefined;
  }
}
