import { describeItems } from '../../kernel/view/items.js';
import { INSTANT_WORDS } from './instant-words.js';
import { ITEM_WORDS } from './item-words.js';
import { JOB_WORDS } from './job-words.js';
import { type Found, type FoundCause, type Question } from './question.js';
import { type Scene, type Words, type WordsOf } from './words.js';

const TABLE: WordsOf<FoundCause> = { ...JOB_WORDS, ...ITEM_WORDS, ...INSTANT_WORDS };

/** The sentence and the cure of what was found. */
export function inWords({ cause, items, holds }: Found, question: Question): Words {
  const { paths, fullPath, instant } = question;
  const job = `Job '${paths.jobName}'`;
  const list = items.length > 0 ? items : question.item === undefined ? [] : [question.item];
  const scene: Scene = {
    subject: list.length === 0 ? job : `${list.length === 1 ? 'Item' : 'Items'} ${describeItems(list)}`,
    isOne: list.length <= 1,
    instant: instant === undefined ? '' : ` ${new Date(instant).toISOString()}`,
    path: (name) => fullPath(paths[name]),
    job,
    isPast: holds === 'then' && instant !== undefined,
  };
  // Each entry takes the cause of its own type.
  const tell = TABLE[cause.type] as (cause: FoundCause, scene: Scene) => Words;
  return tell(cause, scene);
}
