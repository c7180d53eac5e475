import { type en } from './en.js';

type AnyKey = keyof typeof en;
/** Of what the server names values: the text of a value has the key `kind.value`. */
export type Kind =
  | 'change'
  | 'itemStatus'
  | 'kind'
  | 'origin'
  | 'outcome'
  | 'phase'
  | 'result'
  | 'role'
  | 'serverState'
  | 'severity'
  | 'source'
  | 'sourceState'
  | 'status';
/**
 * The texts of the page itself. Those of values that the server names are not among them: `nameOf` knows what to do
 * without one.
 */
export type TextKey = Exclude<AnyKey, `${Kind}.${string}`>;
