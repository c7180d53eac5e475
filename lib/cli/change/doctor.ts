import { DoctorAPI, type Examination } from '../../operations/doctor-api.js';
import { type Finding, type Severity } from '../../operations/doctor/finding.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { type Invocation } from '../invocation.js';
import { type ChangeOptions } from '../surroundings.js';
import { type Output } from '../terminal/output.js';
import { type Tone } from '../terminal/style.js';
import { printable, widthOf } from '../terminal/text.js';
import { contextOf, counted } from './context.js';

/** Options of `doctor`. */
export interface DoctorOptions extends ChangeOptions {
  /** True solves the problems that have a safe solution. */
  readonly fix?: boolean;
  /** Findings are checked again after this time, in milliseconds. */
  readonly settle: number;
}

/** A finding, and the result of `--fix`. */
interface Mended {
  readonly finding: Finding;
  /** False if the problem was over already. */
  readonly mended: boolean;
}

/** `doctor [job]`: the problems of a namespace or a job, with consequences and cures. */
export async function doctor(
  invocation: Invocation,
  jobName: string | undefined,
  options: DoctorOptions,
): Promise<ExitCode> {
  const { output, operations } = invocation;
  const api = new DoctorAPI(await invocation.registry(), operations);
  const examination = await api.examine({ settleMs: options.settle, ...(jobName !== undefined && { jobName }) });
  if (!output.isJson) print(examination, output);
  const fixed = options.fix === true ? await fixAll(invocation, { api, examination, options }) : [];
  if (output.isJson)
    output.json({
      ...examination,
      fixed: fixed.map(({ finding: { type, jobName: job, subject }, mended }) => ({
        type,
        jobName: job,
        subject,
        mended,
      })),
    });
  const open = examination.findings.filter((finding) => fixed.every((each) => each.finding !== finding));
  return open.some(({ severity }) => severity !== 'notice') ? EXIT.found : EXIT.done;
}

async function fixAll(
  invocation: Invocation,
  {
    api,
    examination,
    options,
  }: { readonly api: DoctorAPI; readonly examination: Examination; readonly options: DoctorOptions },
): Promise<readonly Mended[]> {
  const { output } = invocation;
  const fixable = examination.findings.filter(({ fix }) => fix !== undefined);
  if (fixable.length === 0) {
    output.note('There is nothing that --fix could mend.');
    return [];
  }
  await invocation.confirm(`Mend ${counted(fixable.length, 'finding')} as described?`, options);
  const results: Mended[] = [];
  for (const finding of fixable) {
    // One after the other, as one problem may be the cause of the next.
    const mended = await api.fix(finding, contextOf(options));
    results.push({ finding, mended });
    output.note(`${mended ? 'Mended' : 'Over already'}: ${finding.jobName ?? ''}: ${finding.sentence}`);
  }
  return results;
}

function print({ jobs, findings, unknown }: Examination, output: Output): void {
  const names = findings.map(({ jobName = '-' }) => printable(jobName));
  const widths = [SEVERITY_WIDTH, Math.max('JOB'.length, ...names.map(widthOf))] as const;
  const margin = widths[0] + widths[1] + 2 * GAP.length;
  const cells = (first: string, second: string): string => pad(first, widths[0]) + GAP + pad(second, widths[1]) + GAP;
  if (findings.length > 0) output.text(`${output.paint('head', `${cells('SEVERITY', 'JOB')}FINDING`)}\n`);
  findings.forEach((finding, index) => {
    const { severity, sentence, subject } = finding;
    const about = subject === '' ? '' : ` [${subject}]`;
    const start = cells(severity, names[index] ?? '');
    output.text(`${output.paint(TONES[severity], start)}${output.wrapped(printable(sentence + about), margin)}\n`);
    for (const [title, text] of detailsOf(finding))
      output.text(`${' '.repeat(margin)}${output.wrapped(printable(`${title}: ${text}`), margin)}\n`);
  });
  for (const sentence of unknown) output.note(`Not examined: ${sentence}`);
  const extent = unknown.length === 0 ? '' : ', as far as it was examined';
  if (findings.length === 0) output.note(`Nothing is wrong with ${counted(jobs, 'job')}${extent}.`);
}

function detailsOf({ consequence, cure, fix }: Finding): readonly (readonly [string, string])[] {
  return [['Consequence', consequence], ['Cure', cure], ...(fix === undefined ? [] : [['--fix', fix] as const])];
}

const GAP = '  ';
const SEVERITY_WIDTH = 'SEVERITY'.length;

const TONES: Readonly<Record<Severity, Tone>> = { critical: 'bad', warning: 'doubtful', notice: 'faint' };

function pad(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - widthOf(text)));
}
