import { type Command } from 'commander';
import { type Action } from './action.js';
import { addConfigCommands } from './config-commands.js';
import { addRegistryCommands } from './registry-commands.js';
import { durationOption, instant, integer, items, nonEmpty, reason, server } from './values.js';

const REASON = ['--reason <text>', 'why, for the record of the operation', reason] as const;
const YES = ['-y, --yes', 'do it without asking'] as const;
const MOST_ITEMS = 100_000;

/** Adds the commands that change jobs and servers. */
export function addChangeCommands(program: Command, action: Action): void {
  program.commandsGroup('Steer:');
  program
    .command('trigger <job>')
    .description('make all instances of a job run their items now, and the jobs after it')
    .option('--items <list>', 'run only these items, such as 3 or 0-3,7 (default: all)', items)
    .option('--server <ip>', 'only the instances on this server (default: all)', server)
    .option('--parameter <text>', 'parameter of the job for these runs (default: its own)')
    .option('--only', 'this job alone, and none of those that run after it')
    .option('--wait', 'wait until these runs have ended')
    .addOption(durationOption('--wait-timeout <duration>', 'how long to wait', '10m'))
    .option(...REASON)
    .action(
      action(async (invocation, [name = ''], options) =>
        (await import('../change/trigger.js')).trigger(invocation, name, options),
      ),
    );
  addAvailability(program, action, 'disable', 'stop running on a server, on all servers of a job, or an item');
  addAvailability(program, action, 'enable', 'undo disable');
  addRemovals(program, action);
  addGraphCommands(program, action);
  addConfigCommands(program, action);
  addRegistryCommands(program, action);
}

function addAvailability(program: Command, action: Action, verb: 'disable' | 'enable', description: string): void {
  program
    .command(`${verb} [job]`)
    .description(description)
    .option('--server <ip>', 'the job on this server; without a job, all jobs on this server', server)
    .option('--unknown-server', 'the job also on a server that no job has yet')
    .option('--item <number>', 'only this item of the job', integer(0, MOST_ITEMS))
    .option(...REASON)
    .action(
      action(async (invocation, [jobName], options: object) => {
        const { setAvailability } = await import('../change/availability.js');
        return setAvailability(invocation, verb, { jobName, ...options });
      }),
    );
}

function addRemovals(program: Command, action: Action): void {
  program
    .command('shutdown [job]')
    .description('end a job on its instances, until their applications are started again')
    .option('--server <ip>', 'only on this server; without a job, all jobs on this server', server)
    .option(...REASON)
    .option(...YES)
    .action(
      action(async (invocation, [name], options) =>
        (await import('../change/removal.js')).shutdown(invocation, name, options),
      ),
    );
  program
    .command('remove [job]')
    .description('remove a job with all it has, if no instance of it lives; with --server, a server and its instances')
    .option('--server <ip>', 'remove this server from the job; without a job, from all jobs', server)
    .option('--living', 'end living instances of the job; without it, a job that has any is not removed')
    .option(...REASON)
    .option(...YES)
    .action(
      action(async (invocation, [name], options) =>
        (await import('../change/removal.js')).remove(invocation, name, options),
      ),
    );
  program
    .command('prune [job]')
    .description('remove servers that have no living instance')
    .option('--dry-run', 'only list them')
    .option('--include-disabled', 'also those that are disabled')
    .option(...REASON)
    .option(...YES)
    .action(
      action(async (invocation, [name], options) =>
        (await import('../change/removal.js')).prune(invocation, name, options),
      ),
    );
}

const AT = ['--at <round>', 'instant or run key of the round (default: the latest)', instant] as const;

function addGraphCommands(program: Command, action: Action): void {
  program
    .command('run-again <graph>')
    .description('run a round of a graph again: what has failed or was stopped, and the jobs after it')
    .option(...AT)
    .option('--from <job>', 'begin with this job', nonEmpty('the name of a job'))
    .option(...REASON)
    .option(...YES)
    .action(
      action(async (invocation, [name = ''], options) =>
        (await import('../change/graph.js')).runAgain(invocation, name, options),
      ),
    );
  program
    .command('skip <graph> <job>')
    .description('skip a job in a round of a graph, so that the jobs after it run')
    .option(...AT)
    .option(...REASON)
    .option(...YES)
    .action(
      action(async (invocation, [name = '', jobName = ''], options) =>
        (await import('../change/graph.js')).skip(invocation, { name, jobName }, options),
      ),
    );
  program
    .command('stop <graph>')
    .description('stop a round of a graph: nothing more of it begins')
    .option(...AT)
    .option(...REASON)
    .option(...YES)
    .action(
      action(async (invocation, [name = ''], options) =>
        (await import('../change/graph.js')).stop(invocation, name, options),
      ),
    );
  addPause(program, action, 'pause', 'pause a graph: its jobs begin no run until it is resumed');
  addPause(program, action, 'resume', 'undo pause');
}

function addPause(program: Command, action: Action, verb: 'pause' | 'resume', description: string): void {
  program
    .command(`${verb} <graph>`)
    .description(description)
    .option(...REASON)
    .option(...YES)
    .action(
      action(async (invocation, [name = ''], options) =>
        (await import('../change/graph.js')).setPaused(invocation, { verb, name }, options),
      ),
    );
}
