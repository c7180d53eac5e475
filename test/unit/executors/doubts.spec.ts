/** Properties of a job that executors allow, but that are probably not intended. */
import { describe, expect, test } from '@jest/globals';
import { builtInExecutors } from '../../../lib/executors/built-in-executors.js';
import { ManualClock } from '../../../lib/testing/manual-clock.js';
import { reportJob } from './stage.js';

type Props = Readonly<Record<string, string>>;

const { typed, classed } = builtInExecutors(new ManualClock());

function doubtsOfType(type: string, props: Props): readonly string[] {
  return typed.find((executor) => executor.type === type)?.doubts?.(reportJob(props)) ?? [];
}

function doubtsOfObject(job: object, props: Props): readonly string[] {
  return classed.find((executor) => executor.accepts(job))?.doubts?.(reportJob(props), job) ?? [];
}

const simple = { execute: () => undefined };
const dataflow = { fetchData: () => [], processData: () => undefined };

describe('of HTTP jobs', () => {
  const doubts = (props: Props): readonly string[] =>
    doubtsOfType('HTTP', { 'http.uri': 'http://a', 'http.method': 'POST', ...props });

  test.each<Props>([
    {},
    { 'http.url': 'http://a', 'http.data': '{}', 'http.content.type': 'application/json; charset=utf-8' },
    { 'http.data': '', 'http.method': 'GET', 'http.content.type': '', 'other.key': 'x' },
  ])('%j is no doubt', (props) => {
    expect(doubts(props)).toEqual([]);
  });

  test.each<[Props, string]>([
    [{ 'http.failOnErrorState': 'true' }, "did you mean 'http.failOnErrorStatus'?"],
    [
      { 'http.timeout': '5' },
      'known are: http.uri, http.url, http.method, http.data, http.content.type, http.connect.timeout.milliseconds',
    ],
    [
      { 'http.headers.Authorization': 'secret' },
      "the property 'http.headers.Authorization' means nothing to HTTP jobs; known are: http.uri",
    ],
    [
      { 'http.data.a': '1' },
      "the property 'http.data.a' means nothing to HTTP jobs; 'http.data' takes one text, not further keys below it",
    ],
    [
      { 'http.url': 'http://secret' },
      'the properties http.uri and http.url have different addresses; http.uri holds, and http.url has no effect',
    ],
    [
      { 'http.method': 'GET', 'http.data': 'secret' },
      'the property http.data has no effect with the method GET: only POST, PUT, DELETE send a body',
    ],
    [
      { 'http.content.type': 'nonsense' },
      'the property http.content.type is "nonsense", which is no media type such as application/json',
    ],
    [{ 'streaming.process': 'true' }, "the property 'streaming.process' has no effect: only dataflow jobs stream"],
  ])('%j is one', (props, doubt) => {
    expect(doubts(props)).toEqual([expect.stringContaining(doubt)]);
    expect(doubts(props).join()).not.toContain('secret');
  });
});

describe('of SCRIPT jobs', () => {
  const doubts = (line: string, props: Props = {}): readonly string[] =>
    doubtsOfType('SCRIPT', { 'script.command.line': line, ...props });

  test.each([
    'python3 jobs/count.py --hidden --max=3 a>b',
    'sh -c \'cat "$1" | jq . > /tmp/x && echo `date`\' sh',
    'cmd.exe /c dir & type x',
    'C:\\Windows\\System32\\cmd.exe /c dir | more',
    'true',
  ])('%s has nothing for a shell', (line) => {
    expect(doubts(line).join()).not.toContain('shell');
  });

  test.each([
    ['true && false', '&&'],
    ['cat x | jq .', '|'],
    ['a || b', '||'],
    ['echo x > /tmp/x', '>'],
    ['echo x >/tmp/x', '>/tmp/x'],
    ['job.sh >> log 2>&1', '>>'],
    ['job.sh 2>&1', '2>&1'],
    ['sort < names', '<'],
    ['cd /tmp; ls', ';'],
    ['sleep 5 &', '&'],
    ['echo `date`', '`'],
    ['echo $(date)', '$('],
    ['echo $HOME', '$HOME'],
    ['tar czf /backup/$HOST.tgz', '$HOST'],
    ['echo ${HOME}', '${'],
    ['~/bin/sync', '~'],
    ['ls ~/jobs', '~'],
    ["sh -c 'ls' | wc", '|'],
  ])('%s has something for a shell: %s', (line, syntax) => {
    expect(doubts(line)).toEqual([
      `the property script.command.line has "${syntax}" outside of quotes, which the program is given as it is, since no shell is involved; ` +
        "if you want a shell, write sh -c '…'",
    ]);
  });

  test.each([
    ['node-that-is-not-there --version', 'there is no program "node-that-is-not-there" in the folders of PATH'],
    [
      '"echo hi"',
      'there is no program "echo hi" in the folders of PATH; quotes make it one name with its blanks: leave them out',
    ],
    ["'/opt/no such/run' x", 'there is no file "/opt/no such/run", or not the interpreter that its first line names'],
    ['./package.json', '"./package.json" is not executable for the user of this process'],
  ])('%s cannot be run now: %s', (line, reason) => {
    expect(doubts(line)).toEqual([
      expect.stringContaining(`the property script.command.line cannot be run now: ${reason}`),
    ]);
  });

  test('a program that is there is none', () => {
    expect(doubts('true')).toEqual([]);
    expect(doubts(`"${process.execPath}" --version`)).toEqual([]);
  });

  test('a second line is one: its words are further arguments of the first', () => {
    expect(doubts('echo a\necho b\n')).toEqual([expect.stringContaining('has "\\n" outside of quotes')]);
  });

  test('an unknown key is one, and the key of another type', () => {
    expect(doubts('true', { 'script.cwd': '/tmp', 'streaming.process': 'true' })).toEqual([
      "the property 'script.cwd' means nothing to SCRIPT jobs; known are: script.command.line",
      "the property 'streaming.process' has no effect: only dataflow jobs stream, which have fetchData and processData",
    ]);
  });
});

describe('of job objects', () => {
  test('the key for streams is one if it is misspelt, or if the job is no dataflow job', () => {
    expect(doubtsOfObject(dataflow, { 'streaming.process': 'true' })).toEqual([]);
    expect(doubtsOfObject(dataflow, { streamingProcess: 'true' })).toEqual([
      "the property 'streamingProcess' means nothing to dataflow jobs; did you mean 'streaming.process'?",
    ]);
    for (const job of [simple, { worker: 'crunch.js' }])
      expect(doubtsOfObject(job, { 'streaming.process': 'true' })).toEqual([
        "the property 'streaming.process' has no effect: only dataflow jobs stream, which have fetchData and processData",
      ]);
  });

  test('so it is if a simple job has the misspelt key', () => {
    expect(doubtsOfObject(simple, { streamingProcess: 'true' })).toEqual([
      "the property 'streamingProcess' has no effect: only dataflow jobs stream, which have fetchData and processData",
    ]);
  });

  test('an object with the methods of both a simple and a dataflow job is refused', () => {
    const both = { ...simple, ...dataflow };
    const executor = classed.find((each) => each.accepts(both));

    expect(() => executor?.validate?.(reportJob({}), both)).toThrow(
      'elasticjob.jobs.report: has both the method execute(context) and the methods fetchData(context) and processData(context, data)',
    );
    expect(executor?.validate?.(reportJob({}), { ...simple, fetchData: () => [] })).toEqual([]);
  });
});
