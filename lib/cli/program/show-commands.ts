import { Argument, type Command } from 'commander';
import { type Action } from './action.js';
import { address, durationOption, instant, integer, nonEmpty, reason, server } from './values.js';

/** Adds the commands that only read. */
export function addShowCommands(program: Command, action: Action): void {
  program.commandsGroup('See:');
  program
    .command('jobs')
    .description('list all jobs')
    .option('--server <ip>', 'only those of this server', server)
    .action(action(async (invocation, _, options) => (await import('../show/jobs.js')).jobs(invocation, options)));
  program
    .command('job <job>')
    .description('show one job: settings, next firing, servers, instances')
    .action(action(async (invocation, [name = '']) => (await import('../show/job.js')).job(invocation, name)));
  program
    .command('items <job>')
    .description('list the items of a job, with states and owners')
    .action(action(async (invocation, [name = '']) => (await import('../show/items.js')).items(invocation, name)));
  program
    .command('graphs')
    .description('list all graphs of jobs that run after others')
    .action(action(async (invocation) => (await import('../show/graph.js')).graphs(invocation)));
  program
    .command('graph <graph>')
    .description('show the jobs of a graph as a tree, with their states in a round')
    .addArgument(new Argument('[round]', 'instant or run key of the round (default: the latest)').argParser(instant))
    .action(
      action(async (invocation, [name = '', round]) => {
        const parsed: unknown = round;
        return (await import('../show/graph.js')).graph(invocation, name, parsed as Date | undefined);
      }),
    );
  program
    .command('servers')
    .description('list all servers')
    .action(action(async (invocation) => (await import('../show/servers.js')).servers(invocation)));
  program
    .command('next [cron...]')
    .description('show when a cron expression, or a job, fires next')
    .option('--job <job>', 'the schedule of this job')
    .option(
      '--zone <zone>',
      'time zone: GMT+08:00, Europe/Berlin (default: that of the job or this process)',
      nonEmpty('a time zone such as GMT+08:00 or Europe/Berlin'),
    )
    .option('-n, --count <number>', 'how many firings', integer(1, 1_000), 5)
    .option('--from <instant>', 'firings after this instant, such as 2026-11-24T00:00:00Z (default: now)', instant)
    .action(
      action(async (invocation, [words], options) =>
        (await import('../show/next.js')).next(invocation, words ?? [], options),
      ),
    );
  program
    .command('watch [job]')
    .description("show a live table of a job's items, or of all jobs; q ends it")
    .addOption(durationOption('--interval <duration>', 'pause between two readings of all jobs', '2s'))
    .action(
      action(async (invocation, [name], options) =>
        (await import('../watch/watch.js')).watch(invocation, name, options),
      ),
    );
  program
    .command('dump <job>')
    .description('print all nodes of a job, without addresses and secrets')
    .option('--from <host:port>', 'ask the dump port of a process, not the registry centre', address)
    .action(
      action(async (invocation, [name = ''], options) =>
        (await import('../show/dump.js')).dump(invocation, name, options),
      ),
    );
  program
    .command('explain <job>')
    .description('say why a job or an item did not run, or what keeps it from running')
    .addArgument(new Argument('[item]', 'number of the item (default: all items)').argParser(integer(0, 100_000)))
    .option(
      '--at <instant>',
      'why it did not run for this instant, such as 2026-11-24T02:00:00Z (default: now)',
      instant,
    )
    .action(
      action(async (invocation, [jobName = '', item], options: object) => {
        const parsed: unknown = item;
        const { explain } = await import('../show/explain.js');
        return explain(invocation, { jobName, item: parsed as number | undefined, ...options });
      }),
    );
  program
    .command('doctor [job]')
    .description('find problems, with their consequence and cure')
    .option('--fix', 'solve problems that have a safe solution')
    .addOption(durationOption('--settle <duration>', 'time after which findings are checked again', '2s'))
    .option('--reason <text>', 'why, for the record of the operation', reason)
    .option('-y, --yes', 'solve them without asking')
    .action(
      action(async (invocation, [name], options) =>
        (await import('../change/doctor.js')).doctor(invocation, name, options),
      ),
    );
}
