import { describe, expect, test } from '@jest/globals';
import { Listeners } from '../../../lib/async/listeners.js';

function listeners(): { readonly all: Listeners<string>; readonly errors: unknown[]; readonly heard: string[] } {
  const errors: unknown[] = [];
  return { all: new Listeners<string>({ onError: (error) => errors.push(error) }), errors, heard: [] };
}

describe('Listeners', () => {
  test('are called in the order in which they subscribed, until they leave', () => {
    const { all, heard } = listeners();
    const leave = all.add((event) => heard.push(`a ${event}`));
    all.add((event) => heard.push(`b ${event}`));

    all.notify('1');
    leave();
    leave();
    all.notify('2');
    all.clear();
    all.notify('3');

    expect(heard).toEqual(['a 1', 'b 1', 'b 2']);
  });

  test('leave one by one, and others come after all have left', () => {
    const { all, heard } = listeners();
    const [leaveA, , leaveC, leaveD] = ['a', 'b', 'c', 'd'].map((name) => all.add((event) => heard.push(name + event)));

    leaveC?.();
    all.notify('1');
    leaveA?.();
    leaveD?.();
    all.notify('2');
    all.clear();
    leaveD?.();
    all.add((event) => heard.push(`e${event}`));
    all.notify('3');

    expect(heard).toEqual(['a1', 'b1', 'd1', 'b2', 'e3']);
  });

  test('may be the same function twice, which leaves once', () => {
    const { all, heard } = listeners();
    const listener = (event: string): unknown => heard.push(event);
    const leave = all.add(listener);
    all.add(listener);

    all.notify('1');
    leave();
    all.notify('2');

    expect(heard).toEqual(['1', '1', '2']);
  });

  test('all hear of an event before the next one, even if one of them causes it', () => {
    const { all, heard } = listeners();
    all.add((event) => {
      heard.push(`a ${event}`);
      if (event === '1') all.notify('2');
    });
    all.add((event) => heard.push(`b ${event}`));

    all.notify('1');

    expect(heard).toEqual(['a 1', 'b 1', 'a 2', 'b 2']);
  });

  test('that have left while an event is passed on are not called, and those that came are called from the next one on', () => {
    const { all, heard } = listeners();
    let leave = (): void => undefined;
    const subscribeOnce = (): void => {
      leave();
      all.add((event) => heard.push(`c ${event}`));
    };
    const stop = all.add(() => {
      stop();
      subscribeOnce();
    });
    leave = all.add((event) => heard.push(`b ${event}`));

    all.notify('1');
    all.notify('2');

    expect(heard).toEqual(['c 2']);
  });

  test('that throw are reported and keep no other from being called, now or later', () => {
    const { all, errors, heard } = listeners();
    const failure = new Error('x');
    all.add(() => {
      throw failure;
    });
    all.add((event) => heard.push(event));

    all.notify('1');
    all.notify('2');

    expect(errors).toEqual([failure, failure]);
    expect(heard).toEqual(['1', '2']);
  });

  test('are called again after an event whose error could not be reported', () => {
    const heard: string[] = [];
    const all = new Listeners<string>({
      onError: () => {
        throw new Error('the log is full');
      },
    });
    all.add((event) => {
      heard.push(event);
      if (event === '1') throw new Error('x');
    });

    expect(() => all.notify('1')).toThrow('the log is full');
    all.notify('2');

    expect(heard).toEqual(['1', '2']);
  });
});
