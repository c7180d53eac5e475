import { TestEnvironment } from 'jest-environment-node';

let isArranged = false;

/** Node's environment of Jest, in worker processes that end at once when their tests are done. */
export default class QuickEndEnvironment extends TestEnvironment {
  constructor(...received) {
    super(...received);
    // Only worker processes have a parent to talk to.
    if (isArranged || process.send === undefined) return;
    isArranged = true;
    // By itself, Node would free the memory of all test files piece by piece first, which takes long on a busy machine.
    // Jest would end the worker forcibly, and blame open handles (`workerGracefulExitTimeout`).
    process.once('exit', (code) => process.exit(code));
  }
}
