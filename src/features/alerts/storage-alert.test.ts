/* The operator's alert: a disk that fills up, and a database that takes no writes. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import type { Mail, MailResult } from '../../net/mail.ts';
import { openMailServer } from '../../testing/alerts.ts';
import { holdClock } from '../../testing/clock.ts';
import { openTestServer, randomBytes, type TestServer } from '../../testing/test-server.ts';
import { createStorageAlert, type StorageState } from './storage-alert.ts';
import { createAlertsStore } from './store.ts';

let server: TestServer;
beforeAll(async () => {
  server = await openTestServer();
});
afterAll(() => server.close());
beforeEach(async () => {
  const store = createAlertsStore(server.services.database);
  await store.claimLevel('storage', await store.lastLevel('storage'), 'ok');
});

const ok: StorageState = { level: 'ok', reason: '' };
const low: StorageState = { level: 'low', reason: 'The disk is filling up.' };
const failing: StorageState = { level: 'failing', reason: 'Deliveries are refused: the disk is full.' };

/** A process that looks at the storage. While it is failing, its database takes no writes and answers no reads. */
function openProcess(mail: (mail: Mail) => MailResult = () => ({ ok: true, status: 250, error: null })) {
  const store = createAlertsStore(server.services.database);
  const clock = holdClock();
  const subjects: string[] = [];
  let now: StorageState | undefined = ok;
  const ifWritable = <T>(use: () => Promise<T>): Promise<T> =>
    now?.level === 'failing' ? Promise.reject(new Error('SQLITE_FULL')) : use();
  const check = createStorageAlert({
    about: 'storage',
    state: async () => now,
    store: {
      lastLevel: about => ifWritable(() => store.lastLevel(about)),
      claimLevel: (about, before, level) => ifWritable(() => store.claimLevel(about, before, level)),
    },
    mailer: async one => {
      const result = mail(one);
      if (result.ok) subjects.push(one.subject);
      return result;
    },
    to: 'ops@example.com',
    server: 'https://hooks.example.com',
    clock,
    random: randomBytes,
    onError: () => {},
  });
  return {
    subjects,
    async be(state: StorageState | undefined, checks = 10): Promise<void> {
      now = state;
      for (let i = 0; i < checks; i++) {
        clock.advance(15_000);
        await check();
      }
    },
  };
}
const lowSubject = '[Hooktape] Alert: the disk is filling up';
const failingSubject = '[Hooktape] Alert: deliveries cannot be stored';
const okSubject = '[Hooktape] Resolved: storage works again';

test('each change is said once, also while nothing can be written', async () => {
  const process = openProcess();
  await process.be(ok);
  await process.be(low);
  await process.be(failing);
  await process.be(ok);
  expect(process.subjects).toEqual([lowSubject, failingSubject, okSubject]);
});

test('one slow check, and a server that stops, are no failures', async () => {
  const process = openProcess();
  await process.be(ok);
  await process.be(failing, 1);
  await process.be(ok);
  await process.be(undefined);
  expect(process.subjects).toEqual([]);
});

test('flapping storage is at most one email a minute', async () => {
  const process = openProcess();
  for (let i = 0; i < 20; i++) await process.be(i % 2 ? ok : low, 2);
  expect(process.subjects.length).toBeLessThanOrEqual(11);
});

test('after a restart, and of two processes, it is not said again', async () => {
  const [one, two] = [openProcess(), openProcess()];
  await one.be(low);
  await two.be(low);
  expect([...one.subjects, ...two.subjects]).toEqual([lowSubject]);
});

test('a mail server that is away gets it later', async () => {
  let tries = 0;
  const process = openProcess(() =>
    ++tries < 3 ? { ok: false, status: null, error: 'away' } : { ok: true, status: 250, error: null },
  );
  await process.be(low, 20);
  expect([tries, process.subjects]).toEqual([3, [lowSubject]]);
});

test('the settings are the ones that it takes', async () => {
  const mailServer = await openMailServer();
  const configured = await openTestServer({
    env: { HOOKTAPE_SMTP_URL: `smtp://127.0.0.1:${mailServer.port}`, HOOKTAPE_ALERT_EMAIL: 'ops@example.com' },
  });
  expect(configured.services.config).toMatchObject({
    smtp: { from: 'hooktape@localhost' },
    alertEmail: 'ops@example.com',
  });
  await configured.close();
  await mailServer.close();
});

test('a backup that falls behind is said by itself, and that it is well again', async () => {
  const store = createAlertsStore(server.services.database);
  expect(await store.lastLevel('backup')).toBe('ok');
  const clock = holdClock();
  const mails: Mail[] = [];
  let level: StorageState['level'] = 'failing';
  const check = createStorageAlert({
    about: 'backup',
    state: async () => ({
      level,
      reason: level === 'ok' ? '' : 'Changes of the last 120 seconds are not in s3://tapes.',
    }),
    store,
    mailer: async mail => {
      mails.push(mail);
      return { ok: true, status: 250, error: null };
    },
    to: 'ops@example.com',
    server: 'https://hooks.example.com',
    clock,
    random: randomBytes,
    onError: () => {},
  });
  for (const now of ['failing', 'failing', 'failing', 'ok', 'ok', 'ok'] as const) {
    level = now;
    clock.advance(60_000);
    await check();
  }
  expect(mails.map(({ subject }) => subject)).toEqual([
    '[Hooktape] Alert: the backup falls behind',
    '[Hooktape] Resolved: the backup is up to date again',
  ]);
  expect(mails[0]?.text).toContain('not in s3://tapes');
  expect(await store.lastLevel('storage')).toBe('ok');
});
