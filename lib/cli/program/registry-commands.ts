import { type Command } from 'commander';
import { type Action } from './action.js';
import { nonEmpty, reason } from './values.js';

/** Adds `registry migrate` and `registry copy`. */
export function addRegistryCommands(program: Command, action: Action): void {
  const registry = program
    .command('registry')
    .description('tables of a PostgreSQL; move jobs to another registry centre');
  registry
    .command('migrate')
    .description('create the tables in a PostgreSQL that jobs need, where the application must not create them')
    .option('--schema <name>', 'schema of the tables (default: that of the settings, elasticjob)', nonEmpty('a name'))
    .option('--grant-to <role>', 'also grant the rights that an application needs to this role', nonEmpty('a role'))
    .option('--dry-run', 'only print the SQL, without a connection')
    .action(
      action(async (invocation, _, options) => (await import('../registry/migrate.js')).migrate(invocation, options)),
    );
  registry
    .command('copy')
    .description('copy the jobs of stopped applications to another registry centre')
    .option(
      '--from <address>',
      'the registry centre that has the jobs (default: that of the settings)',
      nonEmpty(ADDRESS),
    )
    .option('--to <address>', 'the other registry centre', nonEmpty(ADDRESS))
    .option(
      '--to-namespace <name>',
      'namespace there (default: that of its settings, or the same)',
      nonEmpty('a namespace'),
    )
    .option('--to-config <file>', 'YAML file with the settings of the other registry centre', nonEmpty('a file'))
    .option('--job <job>', 'copy only this job; may be repeated (default: all)', collectedNames)
    .option('--overwrite', 'replace jobs that are there already')
    .option('--leave-unfinished', 'leave runs behind that are still due')
    .option('--dry-run', 'only show what would be copied')
    .option('--reason <text>', 'why, for the records of the copies', reason)
    .option('-y, --yes', 'replace jobs without asking')
    .action(
      action(async (invocation, _, options) => (await import('../registry/copy.js')).copyRegistry(invocation, options)),
    );
}

const ADDRESS = 'an address such as host:2181, http://host:2379 or postgres://user@host/database';

function collectedNames(name: string, before: readonly string[] = []): readonly string[] {
  return [...before, nonEmpty('the name of a job')(name)];
}
