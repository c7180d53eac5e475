import { type en } from './en.js';

type AnyKey = keyof typeof en;
/** The kinds of values of the server that have texts, with the keys `kind.value`. */
export type Kind =
  | 'change'
  | 'itemStatus'
  | 'kind'
  | 'origin'
  | 'outcome'
  | 'phase'
  | 'result'
  | 'role'
  | 'roundCause'
  | 'roundState'
  | 'serverState'
  | 'severity'
  | 'source'
  | 'sourceState'
  | 'status';
/** The keys of the page's own texts, without those for values of the server: `nameOf` handles values without a text. */
export type TextKey = Exclude<AnyKey, `${Kind}.${string}`>;

/** The beginning of the keys `….none` and `….noneText`, the texts of a list without rows. */
export type NoneKey = keyof { [Key in AnyKey as Key extends `${infer Name}.noneText` ? Name : never]: unknown };
