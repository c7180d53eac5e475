/** An error that throws when it is turned into text. */
class UnprintableError extends Error {
  override toString(): string {
    throw new TypeError('toString() of the user’s own error class is faulty');
  }
}

/** Something to throw that throws when it is described; another kind for each number. */
export function poison(number: number): unknown {
  switch (number % 3) {
    case 0:
      return new UnprintableError('the item fails');
    case 1:
      return Object.defineProperty(new Error('the item fails'), 'stack', {
        get: () => {
          throw new TypeError('the stack cannot be read');
        },
      });
    default:
      return {
        [Symbol.for('nodejs.util.inspect.custom')]: (): string => {
          throw new TypeError('the object cannot be inspected');
        },
      };
  }
}

/** A thrown value as text, if it can be converted. Never throws. */
export function described(thrown: unknown): string {
  try {
    return thrown instanceof Error ? String(thrown) : `a thrown ${typeof thrown}`;
  } catch {
    return 'an error that cannot be turned into text';
  }
}
