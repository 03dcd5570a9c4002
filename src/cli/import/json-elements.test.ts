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

describe('the element reader', () => {
  test('returns the events of a JSON export in order, for any chunk size', () => {
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

  test('returns the entries of a HAR file', () => {
    const har = `{"log":{"version":"1.2","pages":[{"entries":[]}],"entries":[{"a":1},{"b":2}],"x":0}}`;
    expect(read(har, 5)).toMatchObject({ kind: 'har', elements: [{ number: 1 }, { number: 2 }] });
  });

  test('returns the lines of an NDJSON file, for any chunk size', () => {
    const lines = [
      '{"id":"a","x":{"events":[1],"receivedAt":2},"receivedAt":1,"b":"\\"}"}',
      '{"id":"b"}',
      '{"events":[{}],"log":{"entries":[]}}',
    ];
    const text = `\ufeff\n ${lines.join('\r\n\n')}`;
    for (const size of [1, 2, 3, 7, 10_000])
      for (const end of ['', '\n']) {
        const { kind, elements } = read(text + end, size);
        expect(kind).toBe('ndjson');
        expect(elements.map(({ bytes }) => Buffer.from(bytes).toString())).toEqual(lines);
        expect(elements.map(({ offset, number }) => [offset, number])).toEqual(
          lines.map((line, i) => [Buffer.from(text).indexOf(line), i + 1]),
        );
      }
  });

  test('a large first event of an NDJSON file is read in parts', () => {
    const line = `{"payloadRaw":"${'x'.repeat(5 << 20)}"}`;
    expect(read(`${line}\n${line}\n`, 1 << 20).elements.map(({ bytes }) => bytes.length)).toEqual([
      line.length,
      line.length,
    ]);
  });

  test('deep nesting is refused at the limit, without reading on', () => {
    const file = Buffer.from('{"a":'.repeat(300_000) + '['.repeat(400_000));
    const reader = createElementReader();
    expect(() => reader.push(file)).toThrow('nested more than 512 levels deep');
  });

  test('512 levels are accepted, and one more is refused with its position', () => {
    const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
    expect(read(`{"events":[{"a":${nested(511)}}]}`, 7).elements).toMatchObject([{ number: 1 }]);
    expect(read(`{"x":${nested(511)},"events":[{}]}`, 7).elements).toMatchObject([{ number: 1 }]);
    expect(() => read(`{"events":[{"a":${nested(512)}}]}`, 7)).toThrow('byte 527: nested more than 512 levels deep');
    expect(() => read(`{"x":${nested(512)},"events":[{}]}`, 7)).toThrow('byte 516: nested more than 512 levels deep');
  });

  test('returns nothing for an empty list', () => {
    expect(read('{"events":[]}', 1)).toEqual({ kind: 'json', elements: [] });
  });

  const refused: [string, string][] = [
    ['', 'byte 0: no list of events'],
    ['{}', 'byte 2: no list of events'],
    ['[]', 'no list of events'],
    ['{"log":{"events":[]}}', 'no list of events'],
    ['{"entries":[]}', 'no list of events'],
    ['[{"events":[]}]', 'no list of events'],
    ['hello', 'byte 0: not a JSON object'],
    ['{"events":[]} x', 'byte 14: not a JSON object'],
    ['{"events":[{},]}', 'byte 14: expected an event'],
    ['{"events":[,{}]}', 'byte 11: expected an event'],
    ['{"events":[5]}', 'byte 11: expected an event'],
    ['{"events":[{} {}]}', 'byte 14: expected a comma or ]'],
    ['{"events":[{}', 'byte 13: the file is truncated'],
    ['{"events":[{"a":"', 'byte 17: the file is truncated'],
    ['{"events":[{}]', 'byte 14: the file is truncated'],
    ['{"receivedAt":1', 'byte 15: the file is truncated'],
    ['{"receivedAt":1}\n{"a":"', 'byte 23: the file is truncated'],
    ['{"receivedAt":1},{}', 'byte 16: expected an event'],
    ['{"receivedAt":1}]', 'byte 16: expected an event'],
    ['{"receivedAt":1}\n5', 'byte 17: expected an event'],
    [`{"receivedAt":${'['.repeat(512)}`, 'byte 525: nested more than 512 levels deep'],
    ['{"events":[],"events":[]}', 'byte 22: the file has a second list of events'],
    ['{"events":[],}', 'the file is not valid JSON outside its list of events'],
    ['{"a" 1,"events":[]}', 'the file is not valid JSON outside its list of events'],
    [`{"a":"${'x'.repeat(5 << 20)}","events":[]}`, 'too much data outside the list of events'],
  ];
  // Names are cut: one of the texts has 5 MB.
  test.each(refused.map(([text, message]) => [text.slice(0, 30), message, text] as const))(
    '%p: %s',
    (_, message, text) => {
      for (const size of [3, 1 << 20]) expect(() => read(text, size)).toThrow(message);
    },
  );
});
