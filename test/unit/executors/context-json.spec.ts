import { describe, expect, test } from '@jest/globals';
import { asciiContextJson, contextJson } from '../../../lib/executors/context-json.js';
import { aContext } from './stage.js';

describe('the JSON of a sharding context', () => {
  test('has the fields and the order of Java, and no others', () => {
    expect(contextJson(aContext())).toBe(
      '{"jobName":"report","taskId":"report@-@0,1@-@READY@-@10.0.0.1@-@7","shardingTotalCount":2,"jobParameter":"","shardingItem":1,"shardingParameter":"Beijing"}',
    );
  });

  test('leaves out the parameter of an item that has none', () => {
    const { shardingParameter, ...others } = JSON.parse(contextJson(aContext())) as Record<string, unknown>;

    expect(shardingParameter).toBe('Beijing');
    expect(JSON.parse(contextJson(aContext({ shardingParameter: undefined })))).toEqual(others);
  });

  test.each([
    ['what Gson makes safe for HTML', `<a href='b'>&=`, String.raw`\u003ca href\u003d\u0027b\u0027\u003e\u0026\u003d`],
    ['quotes and backslashes', `"a\\b"`, String.raw`\"a\\b\"`],
    ['line breaks and tabs', '\n\r\t\b\f', String.raw`\n\r\t\b\f`],
    ['control characters', '\u0000\u001f', String.raw`\u0000\u001f`],
    ['line separators of JavaScript', '\u2028\u2029', String.raw`\u2028\u2029`],
    ['nothing else', '北京 é 😀 \u007f /', '北京 é 😀 \u007f /'],
  ])('escapes %s', (_, jobParameter, escaped) => {
    const json = contextJson(aContext({ jobParameter }));

    expect(json).toContain(`"jobParameter":"${escaped}"`);
    expect(JSON.parse(json)).toMatchObject({ jobParameter });
  });
});

test('for a header, it is printable ASCII and has the same meaning', () => {
  const context = aContext({ jobParameter: '北京 é 😀 \u007f', jobName: 'report' });
  const json = asciiContextJson(context);

  expect(json).toMatch(/^[\x20-\x7e]*$/);
  expect(json).toContain(String.raw`\u5317\u4eac \u00e9 \ud83d\ude00 \u007f`);
  expect(JSON.parse(json)).toEqual(JSON.parse(contextJson(context)));
});
