import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../../support/program.js';
import { fromText, type Portrait, toText } from './portrait.js';

/** The portraits of some jobs, each at several moments in their order. */
export type Story = Readonly<Record<string, Readonly<Record<string, Portrait>>>>;

/** The releases of Java whose trees are recorded. */
export const RECORDED = ['3.0.4', '3.0.5'] as const;

/** True if this run writes the records again instead of comparing with them. */
export const IS_RECORDING = process.env['UPDATE'] === '1';

const FOLDER = join(root, 'test/campaigns/interop/golden');

/** The recorded nodes of a release of Java for the jobs of a story. */
export function recorded(version: string, story: string): Story {
  const folder = join(FOLDER, version, story);
  if (!existsSync(folder)) return {};
  const files = readdirSync(folder).filter((name) => name.endsWith('.txt'));
  return Object.fromEntries(
    files.map((name) => [name.slice(0, -'.txt'.length), momentsOf(readFileSync(join(folder, name), 'utf8'))]),
  );
}

export function record(version: string, story: string, seen: Story): void {
  const folder = join(FOLDER, version, story);
  mkdirSync(folder, { recursive: true });
  for (const [job, moments] of Object.entries(seen)) writeFileSync(join(folder, `${job}.txt`), textOf(moments));
}

/** The first moment in full, of each further one what it changed. */
function textOf(moments: Readonly<Record<string, Portrait>>): string {
  let before: Portrait = {};
  const sections = Object.entries(moments).map(([moment, now]) => {
    const gone = Object.keys(before).filter((path) => !(path in now));
    const changed = Object.entries(now).filter(([path, text]) => before[path] !== text);
    const entries = [...gone.map((path): [string, string] => [path, GONE]), ...changed].sort(byPath);
    before = now;
    return `# ${moment}\n${toText(Object.fromEntries(entries))}`;
  });
  return sections.join('\n');
}

function momentsOf(text: string): Readonly<Record<string, Portrait>> {
  let now: Portrait = {};
  const moments: Record<string, Portrait> = {};
  for (const section of text.split(/^# /m).slice(1)) {
    const [moment = '', ...lines] = section.split('\n');
    const entries = Object.entries({ ...now, ...fromText(lines.join('\n')) }).filter(([, node]) => node !== GONE);
    moments[moment] = now = Object.fromEntries(entries.sort(byPath));
  }
  return moments;
}

const GONE = 'gone';

function byPath([one]: readonly [string, string], [other]: readonly [string, string]): number {
  return one < other ? -1 : 1;
}
