import { describe, expect, test } from 'bun:test';
import { openJsonLine } from './body-text.ts';

describe('JSON on one line, for an editor', () => {
  const minified = '{"a":12345678901234567890.10,"a":"x: ,\\"","b":[],"c":[{"d":{}},null]}';
  const spaced = '{"a": 1, "b": [true, "x, y: z"]}';

  test.each([minified, spaced, `${minified}\n`, `${spaced}\r\n`, '[1]', '{}', '{"\u00fc":"\ud83d\ude00"}'])(
    '%j comes back as it was',
    line => {
      const opened = openJsonLine(line);
      expect(opened?.close(opened.indented)).toBe(line);
      expect(opened?.close(`${opened.indented.replaceAll('\n', '\r\n')}\r\n`)).toBe(line);
    },
  );

  test('is indented, and an edit keeps its style', () => {
    const opened = openJsonLine(spaced);
    expect(opened?.indented).toBe('{\n  "a": 1,\n  "b": [\n    true,\n    "x, y: z"\n  ]\n}');
    expect(opened?.close('{\n  "a": 2,\n  "c":3\n}\n')).toBe('{"a": 2, "c": 3}');
    expect(openJsonLine(minified)?.close('[ 1,\n 2 ]')).toBe('[1,2]');
  });

  test('stays as it was saved when it is not JSON any more', () => {
    expect(openJsonLine(minified)?.close('{ "a": }')).toBe('{ "a": }');
  });

  test.each([
    '',
    'a=1',
    '"text"',
    '12',
    '{"a":1',
    ' {"a":1}',
    '{"a" :1}',
    '{"a": 1,"b":2}',
    '{\n  "a": 1\n}',
    '{"a":1}\n{"a":2}',
  ])('%j is opened as it is', text => expect(openJsonLine(text)).toBeUndefined());
});
