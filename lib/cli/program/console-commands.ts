import { type Command } from 'commander';
import { type Action } from './action.js';
import { integer, nonEmpty } from './values.js';

/** Adds the web console. */
export function addConsoleCommands(program: Command, action: Action): void {
  program.commandsGroup('Console:');
  program
    .command('console')
    .description('serve the web console, until Ctrl-C; its settings stand under `console` in the YAML file')
    .option('-p, --port <number>', 'port to listen on', integer(0, 65_535), 8899)
    .option(
      '--host <address>',
      'address to listen on; 0.0.0.0: all IPv4 addresses',
      nonEmpty('an address'),
      '127.0.0.1',
    )
    .option('--state <folder>', 'folder for users, tokens, connections and the audit (default: memory)')
    .option('--state-namespace <name>', 'namespace for state that several consoles share, in the same registry centre')
    .option('--insecure-http', 'listen without TLS on an address that others can reach')
    .action(
      action(async (invocation, _, options) => (await import('../console/console.js')).runConsole(invocation, options)),
    );
  program
    .command('audit')
    .description("check the console's audit")
    .command('verify')
    .description('check that all records of the audit are as they were written; exit code 1 if one is not')
    .option('--state <folder>', 'folder of the audit (default: console.stateFolder in the YAML file)')
    .action(
      action(async (invocation, _, options) => (await import('../console/audit.js')).verify(invocation, options)),
    );
  program
    .command('hash-password')
    .description('print the hash of a password, for the settings of the console')
    .action(action(async (invocation) => (await import('../console/console.js')).hashPassword(invocation)));
}
