import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { judge, runCampaign } from './campaign.js';
import { type Verdict } from './checker/checker.js';
import { parseLog } from './fleet.js';
import { type Finding, type History } from './history.js';
import { evidence, summary } from './report.js';

const HELP = `npm run chaos -- [options]
  --faults <n>      how many faults (200)
  --seed <n>        which ones (a new one each time)
  --gap <ms>        mean time between them (1800)
  --instances <n>   processes (6)
  --session <ms>    session timeout (3000)
  --keep            keep the logs also if nothing was found
  --check <folder>  judge the logs of an earlier campaign again`;

/** Runs what the arguments say; returns the exit code. */
export async function main(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      faults: { type: 'string', default: '200' },
      seed: { type: 'string', default: `${Math.floor(Math.random() * 2 ** 31)}` },
      gap: { type: 'string', default: '1800' },
      instances: { type: 'string', default: '6' },
      session: { type: 'string', default: '3000' },
      keep: { type: 'boolean', default: false },
      check: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(HELP);
    return 0;
  }
  if (values.check !== undefined) return checkAgain(values.check);
  const folder = mkdtempSync(join(tmpdir(), 'chaos-'));
  console.log(`seed ${values.seed}; logs in ${folder}`);
  const { history, verdict } = await runCampaign({
    seed: Number(values.seed),
    faults: Number(values.faults),
    meanGapMs: Number(values.gap),
    instances: Number(values.instances),
    sessionMs: Number(values.session),
    folder,
    print: (line) => console.log(line),
  });
  const code = report(history, verdict);
  console.log(`Chaos: ${history.faults.length} faults, ${verdict.findings.length} violations (seed ${values.seed})`);
  if (code === 0 && !values.keep) rmSync(folder, { recursive: true });
  else
    console.log(
      `The logs are in ${folder}. Again with: npm run chaos -- --faults ${values.faults} --seed ${values.seed}`,
    );
  return code;
}

/** How many findings are shown with the logs around them. */
const SHOWN = 6;
/** How many are listed at all. */
const LISTED = 100;

function report(history: History, verdict: Verdict): number {
  console.log(`\n${summary(history, verdict)}`);
  for (const finding of verdict.findings.slice(0, SHOWN)) console.log(`\n${evidence(finding, history)}`);
  for (const { kind, text } of verdict.findings.slice(SHOWN, LISTED)) console.log(`${kind}: ${text}`);
  if (verdict.findings.length > LISTED) console.log(`… and ${verdict.findings.length - LISTED} more`);
  return verdict.findings.length === 0 ? 0 : 1;
}

function checkAgain(folder: string): number {
  const saved = JSON.parse(readFileSync(join(folder, 'history.json'), 'utf8')) as {
    history: History;
    settledAt: number;
    findings: Finding[];
  };
  const events = saved.history.processes.flatMap(({ name }) =>
    parseLog(name, readFileSync(join(folder, `${name}.log`), 'utf8')),
  );
  const history = { ...saved.history, events };
  return report(history, judge(history, saved.settledAt, saved.findings));
}
