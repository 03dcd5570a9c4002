/* The CSV export: what a spreadsheet or another program reads back, and that no cell is a formula. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { readCsv } from '../../testing/csv.ts';
import { openTestServer, type TestAccount, type TestServer } from '../../testing/test-server.ts';
import { hasControls, longTextCell, textCell } from './csv-format.ts';

let server: TestServer;
let ada: TestAccount;
beforeAll(async () => {
  server = await openTestServer();
  ada = await server.createAccount();
});
afterAll(() => server.close());

/** What a program does to get the text back. */
const startsLikeFormula = /^'*(?:[\t\r]|[\s\p{Cf}\p{Cc}]*[=+@\-＝＋－＠﹦﹢﹣﹫])/u;
const original = (cell: string): string =>
  cell.startsWith("'") && startsLikeFormula.test(cell) ? cell.slice(1) : cell;

type Line = Record<string, string | null>;
async function linesOf(id: string, query = ''): Promise<Line[]> {
  const response = await ada.call('GET', `/api/endpoints/${id}/export?format=csv${query}`);
  const [columns = [], ...lines] = readCsv(
    new TextDecoder('utf-8', { ignoreBOM: true }).decode(await response.bytes()),
  );
  for (const line of lines) expect(line).toHaveLength(columns.length);
  return lines.map(line => Object.fromEntries(line.map((cell, i) => [columns[i] ?? '', cell])));
}

const every = Uint8Array.from({ length: 256 }, (_, i) => i);

describe('format=csv', () => {
  test('has the documented columns, and the values of the JSON export', async () => {
    const endpoint = await ada.createEndpoint();
    const bodies = [
      '{"a":"x,\r\ny"}',
      '',
      'é"😀";\t',
      every,
      'a\0b',
      '\u001b[2J',
      '=1+1',
      '\ufeff@x',
      Uint8Array.of(0xf8, 0, 0),
    ];
    const ids: string[] = [];
    for (const body of bodies) ids.push(await server.deliver(endpoint, body, { suffix: '/p,%22?x="1"' }));
    await server.deliver(endpoint, '{}', {
      headers: { 'x-github-event': 'push', 'x-hub-signature-256': 'x' },
      suffix: '?',
    });
    await ada.json(200, 'PUT', `/api/events/${ids[0]}/pin`, { name: 'golden', note: '=HYPERLINK("http://x")\n2' });
    await ada.json(200, 'PUT', `/api/events/${ids[0]}/tags`, { tags: ['+a', 'b, "c"'] });
    await ada.json(200, 'PUT', `/api/events/${ids[1]}/pin`, {});
    type Event = Record<string, unknown> & {
      pin: { name: string | null; note: string | null; pinnedAt: number } | null;
    };
    const { events } = await ada.json<{ events: Event[] }>(200, 'GET', `/api/endpoints/${endpoint.id}/export`);
    const lines = await linesOf(endpoint.id);
    expect(Object.keys(lines[0] ?? {})).toEqual(
      'id receivedAt method path query platform eventType size sha256 pinName pinNote pinnedAt tags headers payloadEncoding payloadRaw answeredStatus answeredRule answeredFault refused redacted'.split(
        ' ',
      ),
    );
    const iso = (at: unknown) => new Date(at as number).toISOString();
    expect(lines).toHaveLength(events.length);
    for (const [i, line] of lines.entries()) {
      const {
        rawHeaders: _,
        payloadRaw,
        payloadEncoding,
        headers,
        pin,
        tags,
        receivedAt,
        size,
        answered,
        refused: _refused,
        ...same
      } = events[i] as Event;
      for (const [name, value] of Object.entries(same))
        expect([name, line[name] ?? null]).toEqual([name, value as string]);
      expect([line['receivedAt'], line['size']]).toEqual([iso(receivedAt), String(size)]);
      expect(JSON.parse(line['headers'] ?? '')).toEqual(headers);
      expect(JSON.parse(line['tags'] ?? '[]')).toEqual(tags);
      expect(line['answeredStatus']).toBe(String((answered as { status: number }).status));
      const note = line['pinNote'] ?? null;
      expect([line['pinName'] ?? null, note && original(note), line['pinnedAt'] ?? null]).toEqual(
        pin ? [pin.name, pin.note, iso(pin.pinnedAt)] : [null, null, null],
      );
      const encodingOf = (name: unknown) => (name === 'base64' ? 'base64' : 'utf8');
      const body = Buffer.from(original(line['payloadRaw'] ?? ''), encodingOf(line['payloadEncoding']));
      expect(body.toString('hex')).toBe(Buffer.from(payloadRaw as string, encodingOf(payloadEncoding)).toString('hex'));
    }
    const shown = lines.map(line => [line['payloadEncoding'] ?? null, line['payloadRaw'] ?? null]);
    expect(shown.slice(3)).toEqual([
      ['base64', Buffer.from(every).toString('base64')],
      ['base64', 'YQBi'],
      ['base64', 'G1sySg=='],
      ['utf8', "'=1+1"],
      ['utf8', "'\ufeff@x"],
      ['base64', "'+AAA"],
      ['utf8', '{}'],
    ]);
    // No query is an empty cell; an empty one is an empty text.
    expect(lines.at(-1)).toMatchObject({ path: '', query: '', eventType: 'push', platform: 'github' });
  });

  test('an empty endpoint gives the header line, and q selects', async () => {
    const endpoint = await ada.createEndpoint();
    const response = await ada.call('GET', `/api/endpoints/${endpoint.id}/export?format=csv`);
    expect(await response.text()).toMatch(
      /^id,receivedAt,[A-Za-z0-9,]+,payloadRaw,answeredStatus,answeredRule,answeredFault,refused,redacted\r\n$/,
    );
    await server.deliver(endpoint, 'one');
    const id = await server.deliver(endpoint, 'two');
    expect((await linesOf(endpoint.id, '&q=TWO')).map(line => line['id'])).toEqual([id]);
  });

  test.each([
    ['text', '"é😀,\r\n;'.repeat(400_000)],
    ['blanks before a formula', `${' \u3000\n'.repeat(200_000)}=1`],
    ['binary', Buffer.concat(Array.from({ length: 9000 }, () => every))],
  ])('a long body of %s comes back', async (_, body) => {
    const endpoint = await ada.createEndpoint();
    await server.deliver(endpoint, body);
    const [line] = await linesOf(endpoint.id);
    const encoding = line?.['payloadEncoding'] === 'base64' ? 'base64' : 'utf8';
    expect(Buffer.from(original(line?.['payloadRaw'] ?? ''), encoding).equals(Buffer.from(body as string))).toBe(true);
  });
});

/** The cell in the file. */
const longCell = (text: string): string =>
  Buffer.concat(
    [...longTextCell(Buffer.from(text))].map(piece => Buffer.from(typeof piece === 'string' ? piece : piece.verbatim)),
  ).toString();

describe('a cell', () => {
  const formulas = [
    '=1+1',
    '+1',
    '-1',
    '@SUM(A1)',
    '\t=1',
    '\r=1',
    '\tx',
    '\rx',
    ' =1',
    '\n=1',
    '\u00a0+1',
    '\u200b-1',
    '＝1',
    '＋1',
    '－1',
    '＠x',
    '﹦1',
    "'=1",
    "''@x",
    '-',
  ];
  test.each(formulas)('%j is not a formula', text => {
    for (const cell of [textCell(text), longCell(text)]) {
      const [[read] = []] = readCsv(`${cell}\r\n`);
      expect(read).toBe(`'${text}`);
      expect(original(read ?? '')).toBe(text);
    }
  });

  test.each(['a=1', '1-1', "'", "'a", 'é@', '{"a":"=1"}', '', ' a', '*', '#', '%', '|x'])('%j is left alone', text => {
    for (const cell of [textCell(text), longCell(text)]) {
      expect(readCsv(`${cell}\r\n`)).toEqual([[text]]);
    }
  });

  test('any text comes back, never as a formula, and the cells of a line stay apart', () => {
    const unit = fc.oneof(
      fc.constantFrom(...`'"=+-@,;\t\r\n \u3000\ufeff＝a`),
      fc.string({ unit: 'grapheme', maxLength: 3 }),
    );
    const text = fc.array(unit, { maxLength: 12 }).map(parts => parts.join('').toWellFormed());
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 5 }), texts => {
        for (const write of [textCell, longCell]) {
          const [line = [], ...rest] = readCsv(`${texts.map(write).join(',')}\r\n`);
          expect([line.map(cell => original(cell ?? 'null')), rest]).toEqual([texts, []]);
          for (const cell of line) expect(cell).not.toMatch(/^(?:[\t\r]|[\s\p{Cf}\p{Cc}]*[=+@\-＝＋－＠])/u);
        }
      }),
      { numRuns: 2000 },
    );
  });

  test('only control characters other than tab and line ends make a body base64', () => {
    const found = [...every].filter(byte => hasControls(Uint8Array.of(0x61, byte)));
    expect(found).toEqual([...every].filter(byte => (byte < 0x20 && ![9, 10, 13].includes(byte)) || byte === 0x7f));
  });
});
