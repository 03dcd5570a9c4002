/* Many expectations at once on one endpoint, hostile events, and signals. `scripts/proofs/expect.ts` does it with 200 processes. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ExpectHarness, openExpectHarness } from '../../testing/expectations.ts';
import { eventually } from '../../testing/poll.ts';

let harness: ExpectHarness;
let directory: string;
beforeAll(async () => {
  harness = await openExpectHarness();
  ({ directory } = harness);
});
afterAll(() => harness.close());

test('forty at once: each ends by its own deliveries', async () => {
  const { createInbox, push, expectIn, registerSecret, client } = harness;
  const inbox = await createInbox();
  await registerSecret(inbox);
  const scenarios = [
    { args: ['--count', '1', '--settle', '300ms'], secrets: [undefined], exitCode: 0 },
    { args: ['--count', '1', '--settle', '1h'], secrets: [undefined, undefined], exitCode: 3 },
    { args: ['--count', '1', '--within', '300ms'], secrets: [], exitCode: 1 },
    { args: ['--verdict', 'valid', '--within', '700ms'], secrets: ['guessed'], exitCode: 1 },
    { args: ['--none'], secrets: [undefined], exitCode: 3 },
  ];
  const runs = Array.from({ length: 40 }, (_, run) => ({
    run,
    ...(scenarios[run % scenarios.length] as (typeof scenarios)[0]),
  }));
  const ended = runs.map(({ run, args }) => expectIn(inbox, '--where', `body.run:${run}`, ...args));
  const waiting = client.server.services.notifications;
  await eventually(() => waiting.openTails() > 0);
  for (const { run, secrets } of runs)
    for (const secret of secrets) await push(inbox, { run }, secret === undefined ? {} : { secret });
  const codes = (await Promise.all(ended)).map(({ exitCode }) => exitCode);
  expect(codes).toEqual(runs.map(({ exitCode }) => exitCode));
}, 120_000);

// biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the point
const unsafe = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

test('nothing of a hostile event reaches a terminal or the JUnit file unescaped', async () => {
  const { client, createInbox, expectIn } = harness;
  const inbox = await createInbox();
  const hostile = '\u001b]0;title\u0007\u009b31m\u202egnp.exe\u2066</failure>"&\u0085';
  const body = JSON.stringify({ type: hostile, note: hostile });
  await client.server.deliver(inbox, body, {
    headers: { 'content-type': 'application/json', 'x-note': 'a\u009b31m\u0085b', 'x-github-event': 'a\u009b31m' },
    suffix: `/${encodeURIComponent(hostile)}?x=${encodeURIComponent(hostile)}`,
  });
  const file = join(directory, 'hostile.xml');
  for (const where of ['body.note:x', 'header.x-note:x', 'path:/x', ''])
    for (const more of [[], ['--json'], ['--none']]) {
      const ended = await expectIn(inbox, '--where', where, '--within', '0', '--junit', file, ...more);
      expect(`${ended.stdout}${ended.stderr}`).not.toMatch(unsafe);
      expect(readFileSync(file, 'utf8')).not.toMatch(unsafe);
    }
}, 120_000);

test.each([
  ['SIGINT', 2],
  ['SIGTERM', 15],
] as const)(
  '%s ends it as it ends any program, and leaves no file',
  async (signal, number) => {
    const { client, createInbox } = harness;
    const inbox = await createInbox();
    const folder = mkdtempSync(join(directory, 'signal-'));
    const files = ['--save', join(folder, 'x.json'), '--junit', join(folder, 'x.xml')];
    const args = ['expect', inbox.id, '--after', inbox.mark, '--within', '1h', ...files];
    const child = Bun.spawn([process.execPath, join(import.meta.dir, '../../main.ts'), ...args], {
      env: { PATH: process.env['PATH'] ?? '', ...client.env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    await eventually(() => client.server.services.notifications.openTails() > 0, 20_000);
    child.kill(signal);
    await child.exited;
    expect([child.signalCode, child.exitCode === null || child.exitCode === 128 + number]).toEqual([signal, true]);
    expect([await child.stdout.text(), readdirSync(folder)]).toEqual(['', []]);
    await eventually(() => client.server.services.notifications.openTails() === 0);
  },
  120_000,
);
