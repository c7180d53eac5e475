/** The number of colours; further instances share them. */
const TONES = 12;

/** Gives each instance a colour that it keeps while the page is open. */
export class Tones {
  readonly #known = new Map<string, number>();

  /** The CSS class of an instance's colour. */
  of(instanceId: string | undefined): string {
    if (instanceId === undefined || instanceId === '') return 'tone-none';
    const known = this.#known.get(instanceId) ?? this.#known.size;
    this.#known.set(instanceId, known);
    return `tone-${known % TONES}`;
  }
}

/** `10.0.0.1 · 4711`: an instance in short. */
export function shortInstance(instanceId: string | undefined): string {
  if (instanceId === undefined) return '–';
  const parts = instanceId.split('@');
  return parts.length < 3 ? instanceId : `${parts[0]} · ${parts.at(-1)}`;
}
