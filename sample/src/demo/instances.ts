import { type INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AppModule } from '../app.module.js';

/** Instances of the application in this process, by name. */
export class Instances {
  readonly #running = new Map<string, INestApplicationContext>();

  /** A running instance. @throws if there is none of that name */
  get(name: string): INestApplicationContext {
    const app = this.#running.get(name);
    if (app === undefined) throw new Error(`There is no instance ${name}.`);
    return app;
  }

  /** Starts an instance, as `main.ts` does, but without its HTTP endpoints. */
  async start(name: string): Promise<void> {
    const app = await NestFactory.createApplicationContext(AppModule.named(name), {
      logger: ['warn', 'error'],
      abortOnError: false,
    });
    this.#running.set(name, app);
  }

  /** Stops an instance as SIGTERM would. */
  async stop(name: string): Promise<void> {
    const app = this.#running.get(name);
    this.#running.delete(name);
    await app?.close();
  }

  async stopAll(): Promise<void> {
    await Promise.all([...this.#running.keys()].map((name) => this.stop(name)));
  }
}
