import { ExplanationAPI } from '../../operations/explanation-api.js';
import { type Explanation, type Reason } from '../../operations/explain/explanation.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { type Invocation } from '../invocation.js';
import { type Output } from '../terminal/output.js';
import { printable } from '../terminal/text.js';

/** Options of `explain`. */
export interface ExplainOptions {
  /** An instant of the job's schedule, of the past. Default: the present. */
  readonly at?: Date;
}

/** `explain <job> [item]`: why an item did not run, or does not run now. */
export async function explain(
  invocation: Invocation,
  { jobName, item, at }: ExplainOptions & { readonly jobName: string; readonly item: number | undefined },
): Promise<ExitCode> {
  const { output, surroundings } = invocation;
  const api = new ExplanationAPI(await invocation.registry(), { clock: surroundings.clock });
  const explanation = await api.explain(jobName, item, at);
  if (output.isJson) output.json(explanation);
  else output.text(inWords(explanation, output));
  return explanation.reason.type === 'unknown-job' ? EXIT.unknownJob : EXIT.done;
}

function inWords({ instant, reason, others, unknown }: Explanation, output: Output): string {
  const text = (each: Reason): string =>
    reasonText(each, { output, isOfNow: instant !== undefined && each.holds === 'now' });
  return [
    text(reason),
    ...others.map((each) => `${output.paint('head', 'Also:')} ${text(each)}`),
    ...(unknown.length === 0 ? [] : [`${output.paint('head', 'Not known:')}\n`]),
    ...unknown.map((sentence) => `  ${output.wrapped(printable(sentence), 2)}\n`),
  ].join('');
}

function reasonText(
  { sentence, cure }: Reason,
  { output, isOfNow }: { readonly output: Output; readonly isOfNow: boolean },
): string {
  const remark = isOfNow ? ' That is so now, and may have been otherwise then.' : '';
  const what = `${output.wrapped(printable(sentence + remark), 0)}\n`;
  return cure === undefined
    ? what
    : `${what}  ${output.paint('good', 'Cure:')} ${output.wrapped(printable(cure), 8)}\n`;
}
