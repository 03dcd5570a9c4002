import { describe, expect, test } from 'bun:test';
import { csvFile } from './csv-format.ts';
import type { FileFormat, FileSubject } from './file-format.ts';
import { scriptFile } from './script-format.ts';
import type { ExportRow } from './store.ts';
import { writeFile } from './write-file.ts';

describe('writeFile', () => {
  const bodyAlone: FileFormat = {
    head: () => '',
    *event({ body }) {
      yield body;
    },
    separator: '',
    tail: () => '',
  };
  const row = (bytes: number): ExportRow => {
    const content = { path: '', query: null, headers: [], headersJson: '[]', body: new Uint8Array(bytes).fill(120) };
    return { seq: 1, nonce: new Uint8Array(8), content } as unknown as ExportRow;
  };

  const pausesFor = async (rows: ExportRow[], format = bodyAlone): Promise<number> => {
    let pauses = 0;
    const file = writeFile({
      format,
      subject: { endpoint: { id: 'ep_1', url: '' }, exportedAt: 0, version: '' } as unknown as FileSubject,
      history: (async function* () {
        yield rows;
      })(),
      matches: () => true,
      yieldIfDue: async () => {
        pauses++;
      },
      onDamaged: () => {},
    });
    for await (const _ of file);
    return pauses;
  };

  test('names the first thousand damaged events, and counts them all', async () => {
    const seen: unknown[] = [];
    const file = writeFile({
      format: { ...bodyAlone, tail: damaged => JSON.stringify([damaged?.count, damaged?.ids.length]) },
      subject: {} as Parameters<FileFormat['head']>[0],
      history: (async function* () {
        yield Array.from({ length: 1200 }, () => ({ ...row(10), content: undefined }));
      })(),
      matches: () => true,
      yieldIfDue: () => undefined,
      onDamaged: ({ count, ids }) => seen.push(count, ids.length),
    });
    const text: string[] = [];
    for await (const chunk of file) text.push(new TextDecoder().decode(chunk));
    expect([text.join(''), ...seen]).toEqual(['[1200,1000]', 1200, 1000]);
  });

  test('lets other work run before each event, and several times within a long one', async () => {
    expect(await pausesFor([row(10), row(10), row(10)])).toBe(3);
    expect(await pausesFor([row(4 << 20)])).toBeGreaterThan(10);
  });

  test.each([
    ['text in CSV', csvFile, 0x22],
    ['binary in CSV', csvFile, 0xff],
    ['the script', scriptFile, 0xff],
  ])('and within a long body of %s', async (_, format, byte) => {
    const event = row(4 << 20);
    event.content?.body.fill(byte);
    const marked = { ...event, receivedAt: 0, tags: [], pin: null, method: 'POST', platform: null, eventType: null };
    expect(await pausesFor([{ ...marked, size: 4 << 20 }], format)).toBeGreaterThan(10);
  });
});
