import { Argument, type Command } from 'commander';
import { type Action } from './action.js';

/** Adds `completion`, and the hidden command `complete` that the scripts of shells call. */
export function addCompletionCommands(program: Command, action: Action): void {
  program.commandsGroup('Other:');
  program
    .command('completion')
    .addArgument(new Argument('<shell>').choices(['bash', 'zsh', 'fish']))
    .description('print a script that completes commands, options and jobs in a shell')
    .addHelpText('after', HOW)
    .action(
      action(async (invocation, [shell = '']) =>
        (await import('../completion/scripts.js')).printScript(invocation, shell, program),
      ),
    );
  program
    .command('complete [words...]', { hidden: true })
    .description('print the completions of the last word')
    .action(
      action(async (invocation, [words]) =>
        (await import('../completion/candidates.js')).printCandidates(invocation, words ?? [''], program),
      ),
    );
}

const HOW = `
  bash:  elasticjob completion bash >> ~/.bashrc
  zsh:   elasticjob completion zsh > "\${fpath[1]}/_elasticjob"
  fish:  elasticjob completion fish > ~/.config/fish/completions/elasticjob.fish`;
