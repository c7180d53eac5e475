import { type AddressInfo } from 'node:net';
import { type INestApplication, type LoggerService, Module } from '@nestjs/common';
import { type DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { ElasticJobConsoleModule } from '../../../lib/console/console.module.js';
import {
  type ConsoleUserSettings,
  type ElasticJobConsoleOptions,
} from '../../../lib/console/options/console-options.js';

/** The HTTP servers that the console runs on. */
export const SERVERS = ['express', 'fastify'] as const;

/** How a test application is made. */
export interface ConsoleAppOptions {
  readonly server?: (typeof SERVERS)[number];
  /** Of the console. Default: an administrator, an operator and a guest. */
  readonly console?: ElasticJobConsoleOptions;
  /** Called before the application listens. */
  readonly prepare?: (app: INestApplication) => void;
  readonly imports?: readonly DynamicModule[];
  /** The console's module, instead of one with the options. */
  readonly module?: DynamicModule;
}

/** Passwords of the users that test applications have by default. */
export const PASSWORDS = {
  anna: 'correct horse battery',
  otto: 'staple of operators',
  gina: 'view from the gallery',
} as const;

/** Users with the hashes of `npx elasticjob hash-password`, at low costs, so that tests are quick. */
export const USERS: readonly ConsoleUserSettings[] = [
  {
    username: 'anna',
    role: 'admin',
    passwordHash: '$scrypt$ln=10,r=8,p=1$EYZuLZTPHAa1DTlI32lr8A$6GwffGpPp1JpDEfuHbclfFxQ+pCUjegMhy43sR88a80',
  },
  {
    username: 'otto',
    role: 'operator',
    passwordHash: '$scrypt$ln=10,r=8,p=1$uFeOJdZuf31nwDuRGr18Pw$90m/JC+XxhD+lB8R9ii5/zD8iRhxmqZ2qHfvd5Ii5No',
  },
  {
    username: 'gina',
    role: 'guest',
    passwordHash: '$scrypt$ln=10,r=8,p=1$iqsE++D36XcySNmVwjHeHg$J21KHvkVUs1GiIdh00FzQ0NVLEPoNhUu5/zlbI4TOIc',
  },
];

/** An application with the console, on a port of loopback. */
export class ConsoleApp implements AsyncDisposable {
  private constructor(
    readonly nest: INestApplication,
    readonly log: readonly string[],
  ) {}

  /** Starts it. @throws what the application throws at start */
  static async start({
    server = 'express',
    console = { users: USERS },
    prepare,
    imports = [],
    module = ElasticJobConsoleModule.forRoot(console),
  }: ConsoleAppOptions = {}): Promise<ConsoleApp> {
    @Module({ imports: [module, ...imports] })
    class AppModule {}
    const log: string[] = [];
    const adapter = server === 'express' ? new ExpressAdapter() : new FastifyAdapter();
    const nest = await NestFactory.create(AppModule, adapter, { logger: loggerInto(log), abortOnError: false });
    try {
      prepare?.(nest);
      await nest.listen(0, '127.0.0.1');
    } catch (error) {
      await nest.close();
      throw error;
    }
    return new ConsoleApp(nest, log);
  }

  /** `http://127.0.0.1:4711` */
  get origin(): string {
    const { port } = (this.nest.getHttpServer() as { address(): AddressInfo }).address();
    return `http://127.0.0.1:${port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.nest.close();
  }
}

function loggerInto(log: string[]): LoggerService {
  const write =
    (level: string) =>
    (message: unknown): void =>
      void log.push(`${level} ${String(message)}`);
  return { log: write('LOG'), warn: write('WARN'), error: write('ERROR'), debug: () => undefined };
}
