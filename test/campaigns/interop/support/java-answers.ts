import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { javaPeer } from './java.js';
import { PeerProcess } from './peer-process.js';

/** A Java peer that is asked what needs no registry centre. */
export class JavaAnswers implements AsyncDisposable {
  private constructor(
    private readonly folder: string,
    private readonly process: PeerProcess,
  ) {}

  static async open(version: string): Promise<JavaAnswers> {
    const folder = mkdtempSync(join(tmpdir(), 'interop-'));
    const [file, ...args] = javaPeer(version);
    return new JavaAnswers(folder, await PeerProcess.start(file, [...args, '--runs', join(folder, 'runs.log')]));
  }

  ask(...command: readonly unknown[]): Promise<unknown> {
    return this.process.ask(...command);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.process[Symbol.asyncDispose]();
    rmSync(this.folder, { recursive: true });
  }
}
