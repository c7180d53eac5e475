import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { judge, loadRecord, type CampaignRecord, runCampaign, saveRecord } from './campaign.js';
import { REGISTRY_KINDS, type RegistryKind } from './history.js';
import { evidence, summary } from './report.js';

const HELP = `npm run chaos -- [options]
  --registry <kind> ${REGISTRY_KINDS.join(', ')} (zookeeper)
  --faults <n>      how many faults (200)
  --seed <n>        which ones (a new one each time)
  --gap <ms>        mean time between them (1800)
  --instances <n>   processes (6)
  --session <ms>    session timeout (3000)
  --keep            keep the logs also if nothing was found
  --check <folder>  judge the logs of an earlier campaign again`;

/**
 * Runs what the arguments say.
 * @param provide makes sure that the programs of a kind of registry centre are there
 * @returns the exit code
 */
export async function main(args: readonly string[], provide: (registry: RegistryKind) => void): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      registry: { type: 'string', default: 'zookeeper' },
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
  if (values.check !== undefined) return report(loadRecord(values.check)) === 0 ? 0 : 1;
  const registry = REGISTRY_KINDS.find((kind) => kind === values.registry);
  if (registry === undefined) {
    console.error(`--registry: ${values.registry} is not one of ${REGISTRY_KINDS.join(', ')}`);
    return 2;
  }
  provide(registry);
  const folder = mkdtempSync(join(tmpdir(), 'chaos-'));
  console.log(`${registry}, seed ${values.seed}; logs in ${folder}`);
  const record = await runCampaign({
    registry,
    seed: Number(values.seed),
    faults: Number(values.faults),
    meanGapMs: Number(values.gap),
    instances: Number(values.instances),
    sessionMs: Number(values.session),
    folder,
    print: (line) => console.log(line),
  });
  saveRecord(folder, record);
  const violations = report(record);
  console.log(
    `Chaos: ${record.history.faults.length} faults, ${violations} violations (${registry}, seed ${values.seed})`,
  );
  if (violations === 0 && !values.keep) rmSync(folder, { recursive: true });
  else
    console.log(
      `The logs are in ${folder}. Again with: npm run chaos -- --registry ${registry} --faults ${values.faults} --seed ${values.seed}`,
    );
  return violations === 0 ? 0 : 1;
}

/** How many findings are shown with the logs around them. */
const SHOWN = 6;
/** How many are listed at all. */
const LISTED = 100;

/** Prints the figures and what was found; returns how much that was. */
function report(record: CampaignRecord): number {
  const { history } = record;
  const verdict = judge(record);
  console.log(`\n${summary(history, verdict)}`);
  for (const finding of verdict.findings.slice(0, SHOWN)) console.log(`\n${evidence(finding, history)}`);
  for (const { kind, text } of verdict.findings.slice(0, LISTED)) console.log(`${kind}: ${text}`);
  if (verdict.findings.length > LISTED) console.log(`… and ${verdict.findings.length - LISTED} more`);
  return verdict.findings.length;
}
