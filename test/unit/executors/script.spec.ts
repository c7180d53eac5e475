/** Jobs of the type SCRIPT, with real programs. */
import { type ChildProcess, fork, spawnSync } from 'node:child_process';
import { getEventListeners } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from '@jest/globals';
import { scriptExecutor } from '../../../lib/executors/script/script-executor.js';
import { type ShardingContext } from '../../../lib/index.js';
import { ManualClock } from '../../../lib/testing/index.js';
import { isRunning } from '../../support/processes.js';
import { until } from '../../support/until.js';
import { aContext, reportJob, type RunItem, runItem } from './stage.js';

const NODE = process.execPath;
const exitHandlers = process.listenerCount('exit');
const folder = mkdtempSync(join(tmpdir(), 'elasticjob-scripts-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** A script of that name, which is executable unless `mode` says otherwise. Returns its path. */
function script(name: string, text: string, mode = 0o755): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
}

const clock = new ManualClock();
const run = (line: string, changes: Partial<ShardingContext> = {}): RunItem =>
  runItem(scriptExecutor(clock), { 'script.command.line': line }, changes);

/** The number that a script has written in a line of its own. */
async function pidIn({ log }: RunItem): Promise<string> {
  await until(() => log.some((line) => /: \d+$/.test(line)), 'the script to write a pid');
  return log.map((line) => /: (\d+)$/.exec(line)?.[1]).find((pid) => pid !== undefined) ?? '';
}

describe('a script is given the sharding context as its last argument', () => {
  const json =
    '{"jobName":"report","taskId":"report@-@0,1@-@READY@-@10.0.0.1@-@7","shardingTotalCount":2,"jobParameter":"","shardingItem":1,"shardingParameter":"Beijing"}';

  test('as $1 of a shell script', async () => {
    const item = run(script('first.sh', '#!/bin/sh\nprintf "%s\\n" "$#" "$1"\n'));

    await item.ended;
    expect(item.log).toEqual(['log item 1: 1', `log item 1: ${json}`]);
  });

  test('after its other arguments, in which no shell has a part', async () => {
    const path = script('args.js', 'for (const arg of process.argv.slice(2)) console.log(arg);');
    const item = run(`${NODE} ${path} $HOME *.sh "a  b" 'c"d' "" | sort`);

    await item.ended;
    const args = ['$HOME', '*.sh', 'a  b', 'c"d', '|', 'sort', json];
    expect(item.log).toEqual(args.map((arg) => `log item 1: ${arg}`));
  });

  test.each(['北京 é 😀', `"quotes" 'and' \\ backslashes`, 'two\nlines\ttab', '$(id) `id` ; rm -rf / & | > <', '<&=>'])(
    'so that Python reads the parameter %j',
    async (jobParameter) => {
      const path = script('read.py', 'import json, sys\nprint(json.dumps(json.loads(sys.argv[1])["jobParameter"]))\n');
      const item = run(`python3 ${path}`, { jobParameter });

      await item.ended;
      const [line = ''] = item.log;
      expect(JSON.parse(line.replace('log item 1: ', ''))).toBe(jobParameter);
    },
  );

  test('and no input', async () => {
    const item = run(script('input.sh', '#!/bin/sh\ncat; echo done\n'));

    await item.ended;
    expect(item.log).toEqual(['log item 1: done']);
  });
});

describe('what a script writes is logged line by line,', () => {
  test('its output as it comes, its error output as warnings', async () => {
    const path = script('write.sh', '#!/bin/sh\necho one; echo "two  北京"; echo oops >&2; printf "no end"\n');
    const item = run(path);

    await item.ended;
    expect(item.log.filter((line) => line.startsWith('log'))).toEqual([
      'log item 1: one',
      'log item 1: two  北京',
      'log item 1: no end',
    ]);
    expect(item.log.filter((line) => !line.startsWith('log'))).toEqual(['warn item 1: oops']);
  });

  test('a megabyte on one line cut short', async () => {
    const path = script('long.py', 'print("x" * 1048576)\nprint("end")\n');
    const item = run(`python3 ${path}`);

    await item.ended;
    expect(item.log).toEqual([
      `log item 1: ${'x'.repeat(8_192)}… (${1_048_576 - 8_192} more characters)`,
      'log item 1: end',
    ]);
  });
});

describe('a script that writes without end', () => {
  test('has its first 10,000 lines logged, then how many there were besides, and the last one', async () => {
    const item = run(script('talk.sh', '#!/bin/sh\nseq 1 300000\n'));

    await item.ended;

    expect(item.log.length).toBe(10_001);
    expect(item.log.at(-1)).toBe(
      'log item 1: … (290000 more lines, 1940001 bytes, are not logged; the last line: 300000)',
    );
  });

  test('has the last line of its error output in its failure, also if that was not logged', async () => {
    const item = run(script('complain.sh', '#!/bin/sh\nseq 1 20000 >&2; echo why >&2; exit 1\n'));

    await expect(item.ended).rejects.toThrow('the last line of its error output: why');
  });

  test('ends at once when its item is aborted', async () => {
    const item = run('yes');
    await until(() => item.log.length > 10, 'it to write');

    item.abort();

    await expect(item.ended).rejects.toBe(item.reason);
    expect(item.log.length).toBeLessThanOrEqual(10_001);
    expect(clock.timers).toBe(0);
  });
});

describe('a script fails', () => {
  test.each([
    ['by its exit code', 'exit 3', 'has exited with code 3.'],
    [
      'with the last line of its error output',
      'echo a >&2; echo why >&2; exit 1',
      'has exited with code 1; the last line of its error output: why',
    ],
    ['by a signal', 'kill -9 $$', 'was ended by SIGKILL.'],
  ])('%s', async (_, command, said) => {
    const path = script('fail.sh', `#!/bin/sh\n${command}\n`);

    await expect(run(path).ended).rejects.toMatchObject({
      code: 'JOB_EXECUTION',
      message: expect.stringContaining(`Execute script failure: "${path}" ${said}`),
    });
  });

  test('without repeating more than 500 characters', async () => {
    const path = script('verbose.py', 'import sys\nsys.exit("y" * 5000)\n');

    await expect(run(`python3 ${path}`).ended).rejects.toThrow(new RegExp(`: y{500}…$`));
  });

  test.each<[why: string, line: () => string, said: string]>([
    [
      'there is no such program',
      () => 'no-such-program',
      'there is no program "no-such-program" in the folders of PATH',
    ],
    ['there is no such file', () => './no/such.sh', `relative paths begin at ${process.cwd()}`],
    [
      'its interpreter is missing',
      () => script('odd.sh', '#!/no/such/interpreter\n'),
      'or not the interpreter that its first line names',
    ],
    [
      'it is not executable',
      () => script('plain.sh', '#!/bin/sh\n', 0o644),
      'is not executable for the user of this process',
    ],
  ])('if %s', async (_, line, said) => {
    await expect(run(line()).ended).rejects.toMatchObject({
      code: 'JOB_EXECUTION',
      message: expect.stringMatching(/^Execute script failure: /),
      cause: expect.objectContaining({ syscall: expect.stringContaining('spawn') }),
    });
    await expect(run(line()).ended).rejects.toThrow(said);
  });

  test('if its argument is longer than the system allows', async () => {
    const item = run(script('big.sh', '#!/bin/sh\n'), { jobParameter: 'x'.repeat(3_000_000) });

    await expect(item.ended).rejects.toThrow(/the sharding context alone has 3000\d{3} characters/);
  });
});

describe('a script whose item is aborted', () => {
  test('is not started if that was before', async () => {
    const stop = new AbortController();
    stop.abort(new Error('too late'));
    const item = run(script('early.sh', '#!/bin/sh\necho started\n'), { signal: stop.signal });

    await expect(item.ended).rejects.toBe(stop.signal.reason);
    expect(item.log).toEqual([]);
  });

  test('is asked to end, and may clean up', async () => {
    const item = run(
      script('polite.sh', '#!/bin/sh\ntrap "echo cleaned up; exit 0" TERM\necho $$\nwhile :; do sleep 0.05; done\n'),
    );
    await pidIn(item);

    item.abort();

    await expect(item.ended).rejects.toBe(item.reason);
    expect(item.log).toContain('log item 1: cleaned up');
    expect(clock.timers).toBe(0);
  });

  test('is killed, if it ignores that for 800 ms', async () => {
    const item = run(script('deaf.sh', '#!/bin/sh\ntrap "" TERM\necho $$\nwhile :; do sleep 0.05; done\n'));
    const pid = await pidIn(item);

    item.abort();
    await clock.advance(799);
    expect(isRunning(pid)).toBe(true);
    await clock.advance(1);

    await expect(item.ended).rejects.toBe(item.reason);
    expect(isRunning(pid)).toBe(false);
  });

  test('ends with all that it has started', async () => {
    const item = run(script('parent.sh', '#!/bin/sh\nsleep 1000 &\necho $!\nsleep 1000\n'));
    const child = await pidIn(item);

    item.abort();
    await until(() => !isRunning(child), 'the child to end');
    // Where nothing reaps orphans, they count as part of the group until it is killed.
    await clock.advance(800);

    await expect(item.ended).rejects.toBe(item.reason);
  });

  test('is not over before a child of it has been killed that ignores the request and has no output', async () => {
    const text = `#!/bin/sh
trap "" TERM
sleep 1000 >/dev/null 2>&1 &
trap - TERM
echo $!
echo parent $$
wait
`;
    const item = run(script('parent.sh', text));
    await until(() => item.log.length === 2, 'both pids');
    const child = await pidIn(item);
    const parent = item.log[1]?.split(' ').at(-1) ?? '';
    let isOver = false;
    item.ended.catch(() => (isOver = true));

    item.abort();
    // When a script that was started later has ended, the exit of the parent has been noticed too.
    await until(() => !isRunning(parent), 'the parent to end');
    await run(script('later.sh', '#!/bin/sh\n')).ended;
    await clock.advance(799);
    expect([isOver, isRunning(child)]).toEqual([false, true]);
    await clock.advance(1);

    await expect(item.ended).rejects.toBe(item.reason);
    await until(() => !isRunning(child), 'the child to be gone');
    expect(clock.timers).toBe(0);
  });

  test('is over although a process that has left its group holds its output open', async () => {
    const path = script(
      'leave.js',
      `const { spawn } = require('node:child_process');
       const child = spawn('sleep', ['1000'], { detached: true, stdio: 'inherit' });
       console.log(child.pid);
       setInterval(() => {}, 1000);`,
    );
    const item = run(`${NODE} ${path}`);
    const child = await pidIn(item);

    item.abort();
    await clock.advance(800);
    await clock.advance(100);

    await expect(item.ended).rejects.toBe(item.reason);
    expect(isRunning(child)).toBe(true);
    process.kill(Number(child));
  });
});

describe('a child that outlives its script', () => {
  test('is part of the item while it may write, and ends with it', async () => {
    const item = run(script('leave-child.sh', '#!/bin/sh\necho $$ >&2\nsleep 1000 &\necho $!\n'));
    const childIn = (): string | undefined => item.log.map((line) => /^log.* (\d+)$/.exec(line)?.[1]).find(Boolean);
    let isOver = false;
    item.ended.catch(() => (isOver = true));
    await until(() => item.log.length === 2, 'both pids');
    const parent = item.log.map((line) => /^warn.* (\d+)$/.exec(line)?.[1]).find((pid) => pid !== undefined) ?? '';
    const child = childIn() ?? '';
    await until(() => !isRunning(parent), 'the script to have exited');
    expect(isOver).toBe(false);

    item.abort();
    await until(() => !isRunning(child), 'the child to end');
    // Where nothing reaps orphans, they count as part of the group until it is killed.
    await clock.advance(800);

    await expect(item.ended).rejects.toBe(item.reason);
  });

  test('is reported once when it has held the output of its script for five seconds', async () => {
    const item = run(script('leave-child.sh', '#!/bin/sh\necho $$ >&2\nsleep 1000 &\nexit 3\n'));
    await until(() => clock.timers === 1, 'the exit of the script to be noticed');

    await clock.advance(4_999);
    expect(item.log).toHaveLength(1);
    await clock.advance(60_000);

    const reason =
      `item 1: "${join(folder, 'leave-child.sh')}" has exited with code 3, but a process that it has started holds its ` +
      'output, so that the item still runs. Redirect the output of what stays in the background: >/dev/null 2>&1';
    expect(item.log.slice(1)).toEqual([`warn ${reason}`, `impaired ${reason}`]);
    item.abort();
    await clock.advance(800);
    await expect(item.ended).rejects.toBe(item.reason);
  });

  test('lives on if it has no output of the script', async () => {
    const item = run(script('daemon.sh', '#!/bin/sh\nsleep 1000 >/dev/null 2>&1 &\necho $!\n'));

    await item.ended;

    const pid = await pidIn(item);
    expect(isRunning(pid)).toBe(true);
    process.kill(Number(pid));
  });
});

describe('a script of an application that is gone', () => {
  const running: ChildProcess[] = [];
  afterAll(() => running.forEach((each) => each.kill('SIGKILL')));

  interface Application {
    readonly child: ChildProcess;
    readonly runAgain: () => void;
    /** The words that the scripts have written into a file of their folder, once there are so many. */
    readonly pids: (file: string, count?: number) => Promise<readonly string[]>;
  }

  /** An application that runs a script with these commands in a folder of its own. */
  function application(commands: string): Application {
    const own = mkdtempSync(join(folder, 'application-'));
    const path = script('of-application.sh', `#!/bin/sh\ncd ${own}\n${commands}\n`);
    const child = fork(fileURLToPath(new URL('application.ts', import.meta.url)), [path], {
      execArgv: ['--import', new URL('../../../.config/typescript.mjs', import.meta.url).href],
    });
    running.push(child);
    let expected = 1;
    let started = 0;
    child.on('message', () => started++);
    const runAgain = (): void => {
      expected++;
      child.send('run');
    };
    const pids: Application['pids'] = async (file, count = 1) => {
      await until(() => started === expected, 'the application to know its scripts');
      const written = (): readonly string[] => {
        const text = existsSync(join(own, file)) ? readFileSync(join(own, file), 'utf8') : '';
        // A line that has no end is still being written.
        return text.slice(0, text.lastIndexOf('\n') + 1).match(/\S+/g) ?? [];
      };
      await until(() => written().length === count, 'the script to write');
      return written();
    };
    return { child, pids, runAgain };
  }

  const untilGone = (...pids: readonly (number | string)[]) =>
    until(() => !pids.some(isRunning), 'the processes to end');

  function watchdogOf(application: ChildProcess): number | undefined {
    const lines = spawnSync('ps', ['-eo', 'pid=,ppid=,args='], { encoding: 'utf8' }).stdout.split('\n');
    const line = lines.find((each) => each.includes(`# nestjs-elasticjob: when process ${application.pid} has ended`));
    return line === undefined ? undefined : Number(line.trim().split(' ')[0]);
  }

  test.each(['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGKILL', 'out of memory', 'exit'])(
    'by %s ends with all that it has started',
    async (how) => {
      const { child, pids } = application('sleep 1000 & echo $! $$ >pids; wait');
      const both = await pids('pids', 2);

      if (how.startsWith('SIG')) child.kill(how as NodeJS.Signals);
      else child.send(how);

      await untilGone(child.pid ?? 0, ...both);
    },
  );

  test('ends also if it was not the first', async () => {
    const { child, pids, runAgain } = application('echo $$ >>pids; sleep 1000');
    await pids('pids');
    runAgain();
    const both = await pids('pids', 2);

    child.kill('SIGKILL');

    await untilGone(...both);
  });

  test('is asked to end, and killed a second later if it ignores that', async () => {
    const { child, pids } = application(
      'exec >/dev/null 2>&1; trap "echo asked >asked" TERM; echo $$ >pids; while :; do sleep 0.05; done',
    );
    const [pid = ''] = await pids('pids');

    child.kill('SIGKILL');

    await pids('asked');
    await untilGone(pid);
  });

  test('has a watchdog that signals do not end before, and that ends with the application', async () => {
    const { child, pids } = application('echo $$ >pids; sleep 1000');
    const [pid = ''] = await pids('pids');
    const watchdog = watchdogOf(child) ?? 0;

    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.kill(watchdog, signal);
    child.kill('SIGKILL');

    await untilGone(pid, watchdog);
  });

  test('has a new watchdog at once if somebody has killed the former one', async () => {
    const { child, pids, runAgain } = application('echo $$ >>pids; sleep 1000');
    await pids('pids');
    runAgain();
    const both = await pids('pids', 2);
    const former = watchdogOf(child) ?? 0;

    process.kill(former, 'SIGKILL');
    await until(() => ![undefined, former].includes(watchdogOf(child)), 'the new watchdog');
    child.kill('SIGKILL');

    await untilGone(...both);
  });

  test('that has ended before is not looked for', async () => {
    const { child, pids } = application('sleep 1000 >/dev/null 2>&1 & echo $! >pids');
    const [daemon = ''] = await pids('pids');
    const watchdog = watchdogOf(child) ?? 0;

    await untilGone(child.pid ?? 0, watchdog);

    expect(isRunning(daemon)).toBe(true);
    process.kill(Number(daemon));
  });
});

test('an ended script leaves no listener on the signal, no timer, and no handler of the process', async () => {
  const { signal } = new AbortController();

  await run(script('leak.sh', '#!/bin/sh\n'), { signal }).ended;

  expect(getEventListeners(signal, 'abort')).toEqual([]);
  expect(process.listenerCount('exit')).toBe(exitHandlers);
  expect(clock.timers).toBe(0);
});

describe('script.command.line', () => {
  const problemsWith = (props: Readonly<Record<string, string>>) => scriptExecutor(clock).validate?.(reportJob(props));

  test.each([
    [undefined, 'Cannot find script command line, job is not executed: must be a command such as'],
    ['', 'Cannot find script command line, job is not executed: must be a command such as'],
    ['  ', 'got "  "'],
    [`echo "a`, 'must have an end to each quotation: its quotes are unbalanced, got "echo \\"a"'],
  ])('%j is refused', (line, said) => {
    expect(problemsWith(line === undefined ? {} : { 'script.command.line': line })).toEqual([
      { property: 'script.command.line', problem: expect.stringContaining(said) },
    ]);
  });

  test('is taken if it is a command', () => {
    expect(problemsWith({ 'script.command.line': 'echo "a b"' })).toEqual([]);
  });

  test('that was removed while the job runs fails the item', async () => {
    const executor = scriptExecutor(clock);
    const job = { configuration: reportJob({}), logger: console, noteImpairment: () => undefined };

    await expect(executor.process(reportJob({}), aContext(), job)).rejects.toThrow(
      "elasticjob.jobs.report.props['script.command.line']: Cannot find script command line, job is not executed",
    );
  });
});
