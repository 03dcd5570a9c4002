/* Entries of the journal: the header rules are applied, and deliveries that cannot be recognised later are recognised. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mayRecogniseLater, platformsOf, recognise } from '../../features/secrets/recognition.ts';
import type { SigningSecret } from '../../platforms/engine/model.ts';
import { deliveryIdOf } from '../../platforms/platforms.ts';
import { randomBytes } from '../../testing/test-server.ts';
import type { WriteBatch } from '../capture.ts';
import type { PendingDelivery } from '../delivery.ts';
import { isRowError } from '../group-commit.ts';
import { createFiling } from './filing.ts';
import { type FilingWork, groupsIn } from './filing-slot.ts';
import { decodeGroup, type JournalEntry } from './group.ts';
import { createJournal } from './journal.ts';
import { createJournalWriter } from './journal-writer.ts';
import { createSegmentFiles } from './segment-files.ts';

let directory: string;
let write: WriteBatch;
let filed: FilingWork[];
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'hooktape-writer-'));
  filed = [];
  const files = createSegmentFiles({
    directory,
    databaseId: new Uint8Array(16),
    segmentBytes: 1 << 16,
    random: randomBytes,
  });
  const journal = createJournal({ files, nextGroup: 1, unfiled: [] });
  const filing = createFiling({
    run: async ({ work }) => {
      filed.push(...work);
      return { damaged: [], setAside: [], refused: [] };
    },
    lastSeq: 0,
    recovered: [],
    onFiled: () => {},
    onLost: () => {},
    onFailure: () => false,
    onRecovered: async () => {},
    monotonic: () => 0,
    limits: { minRows: 1 },
  });
  write = createJournalWriter({
    journal,
    filing,
    recogniser: { platformsOf, mayRecogniseLater, recognise, redact: () => undefined, deliveryIdOf },
    answerer: {
      prepare: () => undefined,
      decide: () => {
        throw new Error('no endpoint has rules');
      },
    },
    monotonic: () => 0,
  });
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const pending = (
  headers: string[],
  body: string,
  given: { method?: string; secrets?: SigningSecret[] } = {},
): PendingDelivery => ({
  destination: { seq: 5, url: 'https://tape.example/in/t', secrets: given.secrets ?? [] },
  delivery: {
    method: given.method ?? 'POST',
    path: '',
    query: null,
    fields: Buffer.from(headers.map(line => `${line}\r\n`).join(''), 'latin1'),
    body: Buffer.from(body),
    sourceIp: '10.0.0.9',
    receivedAt: 1_700_000_000_000,
  },
});
const writeAll = (...deliveries: PendingDelivery[]) =>
  write({ deliveries, nonces: randomBytes(12 * deliveries.length) });
function written(): JournalEntry[] {
  const [work] = filed;
  const [group] = work && 'run' in work ? groupsIn(work.run) : [];
  if (!group) throw new Error('no group was filed');
  const { path, offset, bytes } = group;
  return decodeGroup(readFileSync(path).subarray(offset, offset + bytes)).entries;
}
const fieldsOf = ({ delivery }: JournalEntry): string => Buffer.from(delivery.fields).toString('latin1');

describe('the journal', () => {
  test('stores ordinary deliveries unchanged and unrecognised', async () => {
    const { first, answers } = await writeAll(
      pending(['Content-Type:  application/json', 'X-GitHub-Event: push'], '{"a":1}'),
      pending(['X-Odd: \xff'], '[2]'),
    );
    expect([first, answers]).toEqual([1, []]);
    expect(written().map(({ recognition }) => recognition)).toEqual([null, null]);
    expect(written().map(fieldsOf)).toEqual([
      'Content-Type:  application/json\r\nX-GitHub-Event: push\r\n',
      'X-Odd: \xff\r\n',
    ]);
  });

  test('has no credential in any byte on disk', async () => {
    await writeAll(
      pending(['Authorization: Bearer sesame-1', 'A: b'], '{}'),
      pending(['cookie: sesame-2', 'X-Forwarded-For: sesame-3'], '{}'),
      pending(['proxy-authorization: sesame-4', 'CF-Connecting-IP: sesame-5'], 'text', { method: 'PUT' }),
    );
    expect(written().map(fieldsOf)).toEqual([
      'Authorization: [redacted]\r\nA: b\r\n',
      'cookie: [redacted]\r\n',
      'proxy-authorization: [redacted]\r\n',
    ]);
    for (const name of readdirSync(directory))
      expect(readFileSync(join(directory, name)).includes('sesame')).toBe(false);
  });

  test('stores the verdict on a signature that the header rules remove', async () => {
    const secrets = [{ platform: 'okta', secret: 'sesame' }];
    const body = JSON.stringify({
      eventType: 'com.okta.event_hook',
      cloudEventsVersion: '0.1',
      eventTypeVersion: '1.0',
      data: { events: [{ eventType: 'user.session.start' }] },
    });
    await writeAll(pending(['Authorization: sesame', 'Content-Type: application/json'], body, { secrets }));
    const [entry] = written();
    expect(entry?.recognition?.platform).toBe('okta');
    expect(JSON.parse(entry?.recognition?.verdict ?? '{}').verdict).toBe('valid');
    expect(entry?.platforms).toEqual(['okta']);
    for (const name of readdirSync(directory))
      expect(readFileSync(join(directory, name)).includes('sesame')).toBe(false);
  });

  test('returns the answer to a handshake with its position in the batch', async () => {
    const { answers } = await writeAll(
      pending([], '{"a":1}'),
      pending([], '{"type":"url_verification","challenge":"abc","token":"t"}'),
    );
    expect(answers.map(([index, { body }]) => [index, body])).toEqual([[1, '{"challenge":"abc"}']]);
    expect(written().map(({ recognition }) => recognition?.platform)).toEqual([undefined, 'slack']);
  });

  test('reports a delivery that cannot be stored with a row error, so that the others can be stored', async () => {
    const error = await writeAll(pending([], '{}'), pending(['no field'], 'x', { method: 'PUT' })).catch(
      error => error,
    );
    expect(isRowError(error)).toBe(true);
    expect((await writeAll(pending([], '{}'))).first).toBe(1);
  });
});
