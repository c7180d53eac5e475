import { type Command } from 'commander';
import { type Action } from './action.js';
import { reason } from './values.js';

/** Adds `config get`, `set`, `edit` and `diff`. */
export function addConfigCommands(program: Command, action: Action): void {
  const config = program.command('config').description('see and change the stored settings of jobs');
  config
    .command('get <job> [setting]')
    .description('print the settings of a job, or one of them')
    .action(
      action(async (invocation, [name = '', setting]) =>
        (await import('../config/get.js')).getConfig(invocation, name, setting),
      ),
    );
  config
    .command('set <job> [assignments...]')
    .usage('<job> <setting=value...> [options]')
    .description("change settings of a job: config set syncOrders cron='0 0 3 * * ?' props.email.host=mail")
    .option('--unset <setting>', 'set it no longer; may be repeated', collected)
    .option('--from-file <setting=file>', 'the value is the text of a file, as for secrets; may be repeated', collected)
    .option('--dry-run', 'only show what would change')
    .option('--reason <text>', 'why, for the record of the operation', reason)
    .action(
      action(async (invocation, [jobName = '', assignments = []], options: object) =>
        (await import('../config/set.js')).setConfig(invocation, { jobName, assignments, ...options }),
      ),
    );
  config
    .command('edit <job>')
    .description('edit the settings of a job in $VISUAL or $EDITOR')
    .option('--reason <text>', 'why, for the record of the operation', reason)
    .option('-y, --yes', 'store the changes without asking')
    .action(
      action(async (invocation, [name = ''], options) =>
        (await import('../config/edit.js')).editConfig(invocation, name, options),
      ),
    );
  config
    .command('diff [job]')
    .description('show where stored settings differ from the YAML file; exit code 1 if they do')
    .action(action(async (invocation, [name]) => (await import('../config/diff.js')).diffConfig(invocation, name)));
}

function collected(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}
