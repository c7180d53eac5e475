/** Parts that the sentences of all reasons share. */
import { type CureCode } from '../codes.js';
import { type Cause, type OnRecord } from '../explanation.js';

/** A sentence and a cure. */
export interface Words {
  readonly sentence: string;
  readonly cure: Cure | undefined;
}

/** Advice, with its code. */
export interface Cure {
  readonly code: CureCode;
  readonly sentence: string;
  /** The command line that does it, or the first of them; `undefined` if there is none. */
  readonly command: string | undefined;
}

/** The data of a sentence besides the cause. */
export interface Scene {
  /** `Item 3`, `Items 0-3,7`, or `Job 'bill'`. */
  readonly subject: string;
  readonly isOne: boolean;
  /** ` 2026-01-01T00:00:00.000Z`, or empty if the question is about the present. */
  readonly instant: string;
  readonly path: (name: 'config' | 'leader' | 'servers' | 'instances' | 'sharding') => string;
  readonly job: string;
  readonly jobName: string;
  readonly items: readonly number[];
  /** True if the sentence is about the instant that was asked about. */
  readonly isPast: boolean;
}

/** A sentence and a cure for each of these causes. */
export type WordsOf<C extends Cause> = {
  readonly [K in C['type']]: (cause: Extract<C, { readonly type: K }>, scene: Scene) => Words;
};

/** A moment as people and logs read it. */
export const at = (date: Date): string => date.toISOString();

/** The operator, time and reason, to append to a sentence. */
export function by(record: OnRecord | undefined): string {
  if (record === undefined) return '';
  return `, by ${record.operator} at ${at(record.at)}${record.reason === undefined ? '' : ` (${record.reason})`}`;
}

/** `is` or `are`, `was` or `were`. */
export function be({ isOne, isPast }: Pick<Scene, 'isOne' | 'isPast'>): string {
  if (isPast) return isOne ? 'was' : 'were';
  return isOne ? 'is' : 'are';
}

/** `has` or `have`. */
export const have = ({ isOne }: Scene): string => (isOne ? 'has' : 'have');

/** A sentence, and a cure if there is one. */
export const words = (sentence: string, cure?: Cure): Words => ({ sentence, cure });

/** Makes a cure. `command`: the command line that does it. */
export const cure = (code: CureCode, sentence: string, command?: string): Cure => ({ code, sentence, command });

/** A subject in the middle of a sentence. */
export const lower = (subject: string): string => subject.charAt(0).toLowerCase() + subject.slice(1);

/** A message of another author, without its full stop, for the middle of a sentence. */
export const unstopped = (message: string): string => message.replace(/\.$/, '');
