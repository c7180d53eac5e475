#!/usr/bin/env node
/**
 * The command line `npx elasticjob …`. It works on the registry centre alone: no application need run.
 *
 * ```
 *   elasticjob.ts      this process: its streams, its variables
 *   └ run.ts           one command line → one exit code
 *     ├ program/       which commands and options there are; loads a command's code when it is carried out
 *     ├ show/          commands that look           ┐
 *     ├ change/        commands that change         ├─▶ lib/operations, lib/dump ─▶ registry centre
 *     ├ config/        commands about settings      ┘
 *     ├ console/       the web console, which is loaded only for this
 *     ├ connection/    where the registry centre is: options, environment, YAML file
 *     └ terminal/      what is printed and asked: tables, colours, JSON
 * ```
 * Failures: each error becomes one sentence on the error stream and an exit code (`exit-codes.ts`). Changes go through
 * the operations, which commit as a whole or not at all; the command line writes nothing to the registry centre by
 * itself.
 */
import { readFileSync } from 'node:fs';
import { systemClock } from '../time/clock.js';
import { runCommandLine } from './run.js';
import { ProcessTerminal } from './terminal/process-terminal.js';

void runCommandLine(process.argv.slice(2), {
  terminal: new ProcessTerminal(process),
  environment: process.env,
  directory: process.cwd(),
  clock: systemClock,
  version: () => {
    const file = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
    return (JSON.parse(file) as { readonly version: string }).version;
  },
}).then((exitCode) => {
  process.exitCode = exitCode;
});
