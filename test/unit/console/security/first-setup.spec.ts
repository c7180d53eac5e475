import { describe, expect, test } from '@jest/globals';
import { FirstSetup, type SetupSeed } from '../../../../lib/console/security/sessions/first-setup.js';
import { KeyRing } from '../../../../lib/console/security/sessions/key-ring.js';
import { StoreDocument } from '../../../../lib/console/store/store-document.js';
import { ManualClock } from '../../../../lib/testing/manual-clock.js';

const MINUTE = 60_000;

/** A set-up without administrators, and the codes that it has written to the log. */
async function aSetup(isNeeded = (): boolean => true): Promise<{
  readonly setup: FirstSetup;
  readonly codes: string[];
  readonly clock: ManualClock;
}> {
  const codes: string[] = [];
  const clock = new ManualClock();
  const warn = (message: string): void => void codes.push(message.split(' ').at(-1) ?? '');
  const document = StoreDocument.unsaved<SetupSeed | null>(null);
  const setup = new FirstSetup({
    isNeeded,
    logger: { warn },
    clock,
    keys: new KeyRing([]),
    document,
  });
  await setup.announce();
  return { setup, codes, clock };
}

const make = (): Promise<string> => Promise.resolve('made');

describe('the code of the first set-up', () => {
  test('is of twelve letters and digits that are not mistaken for others, and is taken in any spelling', async () => {
    const { setup, codes } = await aSetup();

    expect(codes).toEqual([expect.stringMatching(/^([A-HJ-NP-Z2-9]{4}-){2}[A-HJ-NP-Z2-9]{4}$/)]);
    expect(await setup.claim((codes[0] ?? '').replaceAll('-', ' ').toLowerCase(), make)).toBe('made');
    expect(await setup.claim(codes[0] ?? '', make)).toBe('wrong-code');
  });

  test('is exchanged after ten wrong ones', async () => {
    const { setup, codes } = await aSetup();
    for (let guess = 0; guess < 9; guess++) expect(await setup.claim('AAAA-BBBB-CCCC', make)).toBe('wrong-code');
    expect(codes).toHaveLength(1);

    expect(await setup.claim('AAAA-BBBB-CCCC', make)).toBe('wrong-code');

    expect(codes).toHaveLength(2);
    expect(await setup.claim(codes[0] ?? '', make)).toBe('wrong-code');
    expect(await setup.claim(codes[1] ?? '', make)).toBe('made');
  });

  test('is valid for 15 minutes', async () => {
    const { setup, codes, clock } = await aSetup();
    await clock.advance(15 * MINUTE - 1);
    const failing = setup.claim(codes[0] ?? '', () => Promise.reject(new Error('no disk')));
    await expect(failing).rejects.toThrow('no disk');

    await clock.advance(1);

    expect(await setup.claim(codes[0] ?? '', make)).toBe('expired-code');
    expect(await setup.claim(codes[1] ?? '', make)).toBe('made');
  });

  test('stays valid if the administrator could not be made', async () => {
    const { setup, codes } = await aSetup();
    await expect(setup.claim(codes[0] ?? '', () => Promise.reject(new Error('no disk')))).rejects.toThrow('no disk');

    expect(await setup.claim(codes[0] ?? '', make)).toBe('made');
  });

  test('is not given out while there is an administrator', async () => {
    const { setup, codes } = await aSetup(() => false);

    expect(codes).toEqual([]);
    expect(await setup.claim('', make)).toBe('setup-done');
  });

  test('makes nobody of a second one while the first one is under way, and says that it is done', async () => {
    let isNeeded = true;
    const { setup, codes } = await aSetup(() => isNeeded);
    const makeSlowly = async (): Promise<string> => {
      await Promise.resolve();
      isNeeded = false;
      return 'made';
    };

    const answers = await Promise.all([1, 2, 3].map(() => setup.claim(codes[0] ?? '', makeSlowly)));

    expect(answers).toEqual(['made', 'setup-done', 'setup-done']);
  });

  test('lets a second one make the administrator if the first one fails', async () => {
    const { setup, codes } = await aSetup();
    const failing = setup.claim(codes[0] ?? '', () => Promise.reject(new Error('no disk')));
    const second = setup.claim(codes[0] ?? '', make);

    await expect(failing).rejects.toThrow('no disk');
    expect(await second).toBe('made');
  });
});
