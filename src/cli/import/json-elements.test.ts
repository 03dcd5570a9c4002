import { describe, expect, test } from 'bun:test';
import { createElementReader } from './json-elements.ts';

function read(text: string | Uint8Array, chunkBytes: number) {
  const bytes = typeof text === 'string' ? Buffer.from(text) : text;
  const reader = createElementReader();
  const elements = [];
  for (let i = 0; i < bytes.length; i += chunkBytes) elements.push(...reader.push(bytes.subarray(i, i + chunkBytes)));
  reader.end();
  return { kind: reader.kind(), elements };
}

const events = ['{}', '{"a":"]},{\\""}', '{"b":[[{"c":"\\\\"}],{"events":[1]}]}', '{"d":"é😀"}'];
const json = `\ufeff {"x":{"events":[{"no":1}]},"y":[{"z":"\\"}"}], "events" : [\n${events.join(' ,\n')}\n], "after":{"a":[1]}}\n`;

describe('the events of a file', () => {
  test('one after the other, whatever the chunks', () => {
    for (const size of [1, 2, 3, 7, 10_000]) {
      const { kind, elements } = read(json, size);
      expect(kind).toBe('json');
      expect(elements.map(({ bytes }) => Buffer.from(bytes).toString())).toEqual(events);
      expect(elements.map(({ number }) => number)).toEqual([1, 2, 3, 4]);
      for (const { bytes, offset } of elements)
        expect(
          Buffer.from(json)
            .subarray(offset, offset + bytes.length)
            .equals(Buffer.from(bytes)),
        ).toBe(true);
    }
  });

  test('of a HAR file', () => {
    const har = `{"log":{"version":"1.2","pages":[{"entries":[]}],"entries":[{"a":1},{"b":2}],"x":0}}`;
    expect(read(har, 5)).toMatchObject({ kind: 'har', elements: [{ number: 1 }, { number: 2 }] });
  });

  test('deep nesting is refused where it begins, not after hours', () => {
    const file = Buffer.from('{"a":'.repeat(300_000) + '['.repeat(400_000));
    const reader = createElementReader();
    expect(() => reader.push(file)).toThrow('nested more than 512 levels deep');
  });

  test('512 levels are taken, and the next one is refused with its position', () => {
    const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
    expect(read(`{"events":[{"a":${nested(511)}}]}`, 7).elements).toMatchObject([{ number: 1 }]);
    expect(read(`{"x":${nested(511)},"events":[{}]}`, 7).elements).toMatchObject([{ number: 1 }]);
    expect(() => read(`{"events":[{"a":${nested(512)}}]}`, 7)).toThrow('byte 527: nested more than 512 levels deep');
    expect(() => read(`{"x":${nested(512)},"events":[{}]}`, 7)).toThrow('byte 516: nested more than 512 levels deep');
  });

  test('none', () => {
    expect(read('{"events":[]}', 1)).toEqual({ kind: 'json', elements: [] });
  });

  test.each([
    ['', 'byte 0: no list of events'],
    ['{}', 'byte 2: no list of events'],
    ['[]', 'no list of events'],
    ['{"log":{"events":[]}}', 'no list of events'],
    ['{"entries":[]}', 'no list of events'],
    ['[{"events":[]}]', 'no list of events'],
    ['hello', 'byte 0: this is no JSON object'],
    ['{"events":[]} x', 'byte 14: this is no JSON object'],
    ['{"events":[{},]}', 'byte 14: an event was expected'],
    ['{"events":[,{}]}', 'byte 11: an event was expected'],
    ['{"events":[5]}', 'byte 11: an event was expected'],
    ['{"events":[{} {}]}', 'byte 14: a comma or ] was expected'],
    ['{"events":[{}', 'byte 13: the file ends in the middle'],
    ['{"events":[{"a":"', 'byte 17: the file ends in the middle'],
    ['{"events":[{}]', 'byte 14: the file ends in the middle'],
    ['{"events":[],"events":[]}', 'byte 22: a second list of events'],
    ['{"events":[],}', 'besides its events the file is not valid JSON'],
    ['{"a" 1,"events":[]}', 'besides its events the file is not valid JSON'],
    [`{"a":"${'x'.repeat(5 << 20)}","events":[]}`, 'too much besides events'],
  ])('%.30p: %s', (text, message) => {
    for (const size of [3, 1 << 20]) expect(() => read(text, size)).toThrow(message);
  });
});
