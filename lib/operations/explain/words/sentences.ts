import { describeItems } from '../../../kernel/view/items.js';
import { INSTANT_WORDS } from './instant-words.js';
import { ITEM_WORDS } from './item-words.js';
import { JOB_WORDS } from './job-words.js';
import { type Found, type FoundCause, type Question } from '../question.js';
import { reasonCode, reasonValues } from '../reason-codes.js';
import { type Reason } from '../explanation.js';
import { type Scene, type Words, type WordsOf } from './words.js';

const TABLE: WordsOf<FoundCause> = { ...JOB_WORDS, ...ITEM_WORDS, ...INSTANT_WORDS };

/** The sentence and the cure of a cause, and the codes of both. */
export function inWords(
  { cause, items, holds }: Found,
  question: Question,
): Pick<Reason, 'sentence' | 'cure' | 'code' | 'values' | 'remedy'> {
  const { paths, fullPath, instant } = question;
  const job = `Job '${paths.jobName}'`;
  const list = items.length > 0 ? items : question.item === undefined ? [] : [question.item];
  const scene: Scene = {
    subject: list.length === 0 ? job : `${list.length === 1 ? 'Item' : 'Items'} ${describeItems(list)}`,
    isOne: list.length <= 1,
    instant: instant === undefined ? '' : ` ${new Date(instant).toISOString()}`,
    path: (name) => fullPath(paths[name]),
    job,
    jobName: paths.jobName,
    items: list,
    isPast: holds === 'then' && instant !== undefined,
  };
  // Each entry takes the cause of its own type.
  const tell = TABLE[cause.type] as (cause: FoundCause, scene: Scene) => Words;
  const { sentence, cure } = tell(cause, scene);
  return {
    sentence,
    cure: cure?.sentence,
    code: reasonCode(cause, scene.isPast),
    values: reasonValues(cause),
    remedy: cure && { code: cure.code, command: cure.command },
  };
}
