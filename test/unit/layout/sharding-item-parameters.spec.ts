import { expect, test } from '@jest/globals';

import { readItemParameters } from '../../../lib/layout/sharding-item-parameters.js';

test.each<[text: string, parameters: Record<number, string>]>([
  ['', {}],
  [',', {}],
  ['0=a', { 0: 'a' }],
  ['0=Beijing,1=Shanghai', { 0: 'Beijing', 1: 'Shanghai' }],
  [' 0 = a b , 1 =c ', { 0: 'a b', 1: 'c' }],
  ['\t  0 =\u0001  a  ', { 0: 'a' }],
  ['0=a,,', { 0: 'a' }],
  ['0=a=', { 0: 'a' }],
  ['0=a,0=b', { 0: 'b' }],
  ['+1=a,-2=b,007=c', { 1: 'a', '-2': 'b', 7: 'c' }],
])('%p is read as Java reads it', (text, parameters) => {
  expect(Object.fromEntries(readItemParameters(text))).toEqual(parameters);
});

test.each([' ', '0', '0=', '0==a', '0=a=b', '0=a,,1=b', 'xxx-xxx', ',0=a'])(
  '%p is refused with Java’s message',
  (text) => {
    expect(() => readItemParameters(text)).toThrow(
      `Sharding item parameters '${text}' format error, should be int=xx,int=xx`,
    );
  },
);

test.each([
  ['xxx=xxx', 'xxx'],
  ['1.5=a', '1.5'],
  // JavaScript reads these as numbers, and Java does not.
  ['0x1=a', '0x1'],
  ['1e3=a', '1e3'],
  ['2147483648=a', '2147483648'],
  ['=a', ''],
])('%p is refused because %p is not the number of an item', (text, key) => {
  expect(() => readItemParameters(text)).toThrow(`Sharding item parameters key '${key}' is not an integer.`);
});
