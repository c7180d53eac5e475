/**
 * Carries out the commands of docs/command-line.md, one after the other, and compares what they print. UPDATE=1 writes
 * it.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { EXIT } from '../../../lib/cli/exit-codes.js';
import { runCommandLine } from '../../../lib/cli/run.js';
import { toYaml } from '../../../lib/layout/job-configuration-yaml.js';
import { EmbeddedRegistryCenter } from '../../../lib/registry/embedded/embedded-registry-center.js';
import { TestCluster } from '../../../lib/testing/test-cluster.js';
import { root } from '../../support/program.js';
import { aConfiguration } from '../../support/views.js';
import { TestTerminal } from '../../unit/cli/stage.js';
import { letTimePass } from '../../unit/operations/stage.js';
import { tableAfter } from './pages.js';

const PAGE = join(root, 'docs/command-line.md');
const BLOCK = /^```console\n([^]*?)^```$/gm;

let cluster: TestCluster;
beforeAll(async () => {
  cluster = await TestCluster.start(['A', 'B', 'C'], {
    job: {
      jobName: 'syncOrders',
      cron: '0 0/5 * * * ?',
      shardingTotalCount: 6,
      failover: true,
      description: 'fetches the orders of each region',
      props: { 'email.host': 'mail', 'email.password': 's3cret' },
    },
  });
  await cluster.fire();
  await cluster.operator.put('/closeBooks', 'closeBooks');
  const books = { jobName: 'closeBooks', cron: '0 0 2 1 * ?', shardingTotalCount: 1, description: 'closes the books' };
  await cluster.operator.put('/closeBooks/config', toYaml(aConfiguration(books)));
  await cluster.operator.put('/closeBooks/servers/10.0.0.80', 'ENABLED');
  await cluster.operator.put('/sendMails/config', 'shardingTotalCount: many');
  // Past the firing, so that the records of it are there.
  await cluster.advance('10s');
});
afterAll(() => cluster[Symbol.asyncDispose]());

/** A terminal whose streams are one text, with what is answered to questions: yes. */
class Transcript extends TestTerminal {
  text = '';

  constructor() {
    super({ answers: ['y'] });
    for (const stream of [this.out, this.err]) stream.write = (chunk) => void (this.text += chunk);
  }

  override async ask(question: string): Promise<string | undefined> {
    const answer = await super.ask(question);
    this.text += `${question}${answer}\n`;
    return answer;
  }
}

/** The words of a line, as a shell takes it apart. */
function wordsOf(line: string): readonly string[] {
  return [...line.matchAll(/(?:'[^']*'|[^\s'])+/g)].map(([word]) => word.replaceAll("'", ''));
}

async function printed(command: string): Promise<string> {
  const [npx, program, ...args] = wordsOf(command);
  expect([npx, program]).toEqual(['npx', 'elasticjob']);
  const terminal = new Transcript();
  const isLive = args[0] === 'watch';
  if (isLive) Object.assign(terminal.out, { isTerminal: true, columns: 100, rows: 30 });
  const ended = runCommandLine(args, {
    terminal,
    environment: {
      NO_COLOR: '1',
      ELASTICJOB_REGCENTER_SERVERLISTS: 'localhost:2181',
      ELASTICJOB_REGCENTER_NAMESPACE: 'elasticjob',
    },
    directory: join(tmpdir(), 'no-such-folder'),
    clock: cluster.clock,
    version: () => '1.2.3',
    openRegistry: () => {
      const registry = new EmbeddedRegistryCenter({ server: cluster.server, clock: cluster.clock });
      return Object.defineProperty(registry, 'description', {
        value: "ZooKeeper at localhost:2181, namespace 'elasticjob'",
      });
    },
  });
  if (isLive) {
    while (!terminal.text.includes('PENDING')) await cluster.advance('100ms');
    terminal.end();
  }
  await letTimePass(cluster, ended);
  return terminal.text;
}

/** The last drawing of a screen. */
function withoutSteering(text: string): string {
  const [last = ''] = text.split('\u001b[H').slice(-1);
  // A page keeps no blanks at the ends of lines.
  return last.replace(STEERING, '').replace(/[ \r]+$/gm, '');
}

const STEERING = new RegExp(String.raw`${'\u001b'}\[[\d;?]*[A-Za-z]`, 'g');

test('each command of the page prints what the page shows', async () => {
  const page = readFileSync(PAGE, 'utf8');
  const commands = [...page.matchAll(BLOCK)].flatMap(([, block = '']) => block.match(/^\$ .*$/gm) ?? []);
  expect(commands.length).toBeGreaterThan(20);
  const outputs = new Map<string, string>();
  // One after the other, as a reader carries them out.
  for (const command of commands) outputs.set(command, withoutSteering(await printed(command.slice(2))));

  const actual = page.replace(BLOCK, (_, block: string) => {
    const lines = (block.match(/^\$ .*$/gm) ?? []).map((line) => `${line}\n${outputs.get(line) ?? ''}`.trimEnd());
    return `\`\`\`console\n${lines.join('\n')}\n\`\`\``;
  });

  if (process.env['UPDATE'] === '1') writeFileSync(PAGE, actual);
  expect(actual).toBe(readFileSync(PAGE, 'utf8'));
});

test('the table of exit codes has all of them', () => {
  const rows = tableAfter('docs/command-line.md', '"exitCode","message"');

  expect(rows.map(([code]) => Number(code))).toEqual([...new Set(Object.values(EXIT))].sort((a, b) => a - b));
});
