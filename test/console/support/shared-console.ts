import { afterAll, beforeAll } from '@jest/globals';
import { ConsoleApp, type ConsoleAppOptions } from './console-app.js';

/**
 * An application for all tests of a `describe`, none of which may change what another one sees. To be called once, at
 * its top; what it returns is known from the first test on.
 */
export function sharedConsole(options: () => ConsoleAppOptions = () => ({})): () => ConsoleApp {
  let app: ConsoleApp | undefined;
  beforeAll(async () => {
    app = await ConsoleApp.start(options());
  });
  afterAll(async () => {
    await app?.[Symbol.asyncDispose]();
  });
  return () => {
    if (app === undefined) throw new Error('The shared console is known from the first test on');
    return app;
  };
}
