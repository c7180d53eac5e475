import { resolve } from 'node:path';
import { auditKey, type AuditVerdict, verifyAudit } from '../../console/security/audit/audit-folder.js';
import { withEnvironment } from '../../console/start/environment.js';
import { type ElasticJobConsoleOptions } from '../../console/options/console-options.js';
import { environmentFound, settingsPath } from '../connection/settings-sources.js';
import { CommandError, EXIT, type ExitCode } from '../exit-codes.js';
import { type Invocation } from '../invocation.js';
import { type Column } from '../terminal/table.js';
import { consoleSettings } from './console-settings.js';

/** `audit verify`: checks that all records of the console's audit are as they were written. */
export async function verify(
  { options, surroundings, output }: Invocation,
  { state }: { readonly state?: string },
): Promise<ExitCode> {
  const environment = environmentFound(options, surroundings);
  const settings = consoleSettings(settingsPath(options, surroundings), environment)
    .options as ElasticJobConsoleOptions;
  const { stateFolder, audit } = withEnvironment(settings, environment);
  const given = state ?? stateFolder;
  if (typeof given !== 'string')
    throw new CommandError(
      EXIT.usage,
      'Name the folder of the audit by --state, or by console.stateFolder in the file.',
    );
  const folder = resolve(surroundings.directory, given);
  const key = await auditKey(folder, typeof audit?.key === 'string' ? audit.key : undefined);
  if (key === undefined)
    throw new CommandError(
      EXIT.usage,
      `There is no key of the audit in '${folder}': give the console's own, in EJC_AUDIT_KEY or console.audit.key.`,
    );
  const verdicts = [await verifyAudit(folder, 'audit', key), await verifyAudit(folder, 'refusals', key)];
  if (verdicts.every(({ files }) => files === 0))
    throw new CommandError(EXIT.usage, `There is no audit in '${folder}': it has no file audit.jsonl.`);
  output.list({ rows: verdicts, columns: COLUMNS, empty: '' }, verdicts);
  return verdicts.some(({ broken }) => broken !== undefined) ? EXIT.found : EXIT.done;
}

const COLUMNS: readonly Column<AuditVerdict>[] = [
  { title: 'FILES OF', text: ({ name }) => name },
  { title: 'RECORDS', text: ({ records }) => String(records), align: 'right' },
  { title: 'FROM', text: ({ from }) => timeText(from) },
  { title: 'TO', text: ({ to }) => timeText(to) },
  {
    title: 'RESULT',
    text: ({ broken }) =>
      broken === undefined ? 'as written' : `line ${broken.line} of ${broken.file} ${broken.problem}`,
    tone: ({ broken }) => (broken === undefined ? undefined : 'bad'),
  },
];

function timeText(at: number | undefined): string {
  return at === undefined ? '' : new Date(at).toISOString();
}
