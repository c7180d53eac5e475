/**
 * The command line as a whole: its commands, and the options that all of them have. The code of a command is loaded
 * when the command is carried out, so that `--help` and wrong usage answer at once.
 */
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { EXIT } from '../exit-codes.js';
import { type CommonOptions } from '../surroundings.js';
import { type Action, type CarryOut, type Task } from './action.js';
import { addChangeCommands } from './change-commands.js';
import { addCompletionCommands } from './completion-commands.js';
import { addConsoleCommands } from './console-commands.js';
import { addShowCommands } from './show-commands.js';
import { durationOption } from './values.js';

/** The program with all its commands. */
export function createProgram(version: () => string, carryOut: CarryOut): Command {
  const program = new Command('elasticjob')
    .usage('<command> [options]')
    .description('Sees and steers the jobs of a namespace, from a terminal or a script.')
    .option('-V, --version', 'print the version of nestjs-elasticjob')
    .helpOption('-h, --help', 'print help on a command')
    .helpCommand('help [command]', 'print help on a command')
    .configureHelp({ showGlobalOptions: true })
    .showSuggestionAfterError()
    .exitOverride();
  program.on('option:version', () => {
    program.configureOutput().writeOut?.(`${version()}\n`);
    throw new CommanderError(EXIT.done, 'commander.version', 'the version');
  });
  addCommonOptions(program);
  const action: Action =
    (task) =>
    (...given) => {
      const command = given.at(-1) as Command;
      return carryOut(command.optsWithGlobals<CommonOptions>(), (invocation) =>
        task(invocation, command.processedArgs as Parameters<Task>[1], command.opts<never>()),
      );
    };
  addShowCommands(program, action);
  addChangeCommands(program, action);
  addConsoleCommands(program, action);
  addCompletionCommands(program, action);
  program.addHelpText('after', FOOTER);
  return program;
}

const FOOTER = `
Where the registry centre is: from these options, the environment (ELASTICJOB_REGCENTER_SERVERLISTS and the like), or
elasticjob.yaml, the same as for the application. Secrets are given in the environment or in files only.

Exit codes: 0 done, 1 something differs or is wrong, 2 wrong usage or settings, 3 no such job, 4 the state does not allow it,
5 not confirmed, 6 registry centre not reached, 7 credentials refused, 8 time is up, 9 outcome unknown, 70 other failure.`;

/**
 * Node looks for its own option of that name among the words for a program too, and ends with code 9 if the file is
 * missing.
 */
function refuseEnvFile(): never {
  throw new InvalidArgumentError('That is an option of Node itself; give --settings-env <file>.');
}

function addCommonOptions(program: Command): void {
  program
    .addOption(new Option('--json', 'print JSON, for scripts'))
    .addOption(new Option('--no-color', 'print no colours; so does the variable NO_COLOR'))
    .addOption(new Option('--verbose', 'print what the connection does'))
    .optionsGroup('Connection:')
    .option('-r, --registry <address>', 'postgres://user@host/database, http://etcd:2379, or ZooKeeper servers')
    .option('-s, --servers <list>', 'ZooKeeper servers: host:2181,host2:2181')
    .option('--namespace <name>', 'namespace of the jobs')
    .option('-c, --config <file>', 'YAML file with the settings of the application (default: elasticjob.yaml)')
    .option('--settings-env <file>', 'file with more variables of the environment')
    .addOption(new Option('--env-file <file>').argParser(refuseEnvFile).hideHelp())
    .addOption(durationOption('--timeout <duration>', 'how long to wait for the registry centre', '10s'))
    .option('--digest-file <file>', 'file with user:password of the namespace')
    .option('--tls', 'connect by TLS')
    .option('--tls-ca <file>', 'certificates of the authorities that are trusted')
    .option('--tls-cert <file>', 'certificate of this client')
    .option('--tls-key <file>', 'private key of that certificate')
    .option('--tls-passphrase-file <file>', 'file with the passphrase of that key')
    .option('--tls-servername <name>', 'the name in the certificates of the servers')
    .option('--sasl-username <name>', 'user for SASL DIGEST-MD5')
    .option('--sasl-password-file <file>', 'file with the password of that user');
}
