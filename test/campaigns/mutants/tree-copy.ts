import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { applyEdits, editsByFile, type Mutant } from './mutant.js';

/** The project's folder. */
export const root = fileURLToPath(new URL('../../..', import.meta.url));

const COPIED = ['lib', 'test', '.config', 'package.json', 'tsconfig.json'];

/**
 * A copy of the sources in which mutants can live; the dependencies are shared. Nothing is ever changed in the project
 * itself.
 */
export class TreeCopy implements Disposable {
  readonly root = mkdtempSync(join(tmpdir(), 'elasticjob-mutant-'));

  constructor() {
    for (const name of COPIED) cpSync(join(root, name), join(this.root, name), { recursive: true });
    symlinkSync(join(root, 'node_modules'), join(this.root, 'node_modules'), 'dir');
  }

  /**
   * Makes the mutant of the sources for as long as `task` takes.
   * @throws OutdatedMutantError if it cannot be made, and nothing is changed
   */
  async asMutant<T>(mutant: Mutant, task: () => Promise<T>): Promise<T> {
    const changes = [...editsByFile(mutant)].map(([file, edits]) => {
      const path = join(this.root, 'lib', file);
      const before = readFileSync(path, 'utf8');
      return { path, before, after: applyEdits(before, edits) };
    });
    try {
      for (const { path, after } of changes) writeFileSync(path, after);
      return await task();
    } finally {
      for (const { path, before } of changes) writeFileSync(path, before);
    }
  }

  [Symbol.dispose](): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}
