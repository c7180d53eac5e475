import { type WritableComputedRef } from 'vue';
import { useQuery } from './use-query.js';

const SPANS: Readonly<Record<string, number>> = {
  '15m': 900_000,
  '1h': 3_600_000,
  '6h': 21_600_000,
  '24h': 86_400_000,
  '7d': 604_800_000,
};

export interface Range {
  readonly span: WritableComputedRef<string>;
  readonly from: WritableComputedRef<string>;
  readonly to: WritableComputedRef<string>;
  /** The parameters of the request; a span ends now. */
  readonly asked: () => { readonly from?: number; readonly to?: number };
}

/** A range of time that is part of the address. */
export function useRange(): Range {
  const [span, from, to] = [useQuery('span', '24h'), useQuery('from'), useQuery('to')];
  const instant = (text: string): number | undefined => (text === '' ? undefined : new Date(text).getTime());
  const asked = (): { from?: number; to?: number } => {
    if (from.value !== '' || to.value !== '') return { from: instant(from.value), to: instant(to.value) };
    const ms = SPANS[span.value];
    return ms === undefined ? {} : { from: Date.now() - ms };
  };
  return { span, from, to, asked };
}
