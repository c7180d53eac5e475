/** The text that a JSON string stands for; `undefined` for anything else. */
export function quotedText(json: string): string | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}
