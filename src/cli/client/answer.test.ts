/* `hooktape answer` against a real server, and the answers that senders then get. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ClientHarness, openClientHarness } from '../../testing/client-commands.ts';

let client: ClientHarness;
let inbox: { id: string; url: string };
beforeAll(async () => {
  client = await openClientHarness();
  inbox = await client.json('endpoint', 'create', 'inbox');
});
afterAll(() => client.close());

const deliver = async (body = '{}') =>
  fetch(`${client.url}${new URL(inbox.url).pathname}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-github-event': 'push', 'x-github-delivery': body },
    body,
  });
const statuses = async (...bodies: string[]): Promise<number[]> => {
  const found: number[] = [];
  for (const body of bodies) found.push((await deliver(body)).status);
  return found;
};

describe('hooktape answer', () => {
  test('makes its options one rule, shows it, and takes it back', async () => {
    const set = await client.run('answer', 'inbox', '--first', '2', '--per', 'delivery', '--status', '503');
    expect([set.exitCode, set.stdout]).toEqual([0, 'rule-1: first 2 attempts of each delivery: 503\n']);
    expect(await statuses('1', '1', '2', '1', '2', '2')).toEqual([503, 503, 503, 200, 503, 200]);
    expect((await client.run('answer', 'inbox')).stdout).toBe(set.stdout);
    expect(await client.json('answer', 'inbox')).toMatchObject({
      rules: [{ name: 'rule-1', per: 'delivery', first: 2, answer: { status: 503 } }],
    });
    expect(await client.json('answer', 'inbox', '--reset')).toEqual({ ok: true });
    expect((await client.run('answer', 'inbox')).stdout).toBe('senders get the default answer (200)\n');
    expect(await statuses('3')).toEqual([200]);
  });

  test.each([
    ['first attempt of each delivery: 200 after 30 s', '--first 1 --per delivery --delay 30s'],
    [
      'every request that matches type:push, 30% of them, at random: reset the connection',
      '--when type:push --chance 0.3 --fault reset',
    ],
    ['every request: 200, with a body', '--body -'],
  ])('says "%s"', async (said, options) => {
    const { stdout } = await client.runWithInput('text', 'answer', 'inbox', ...options.split(' '));
    expect(stdout).toBe(`rule-1: ${said}\n`);
  });

  test('a body has the type that it looks like, and placeholders', async () => {
    const file = join(client.directory, 'answer.json');
    writeFileSync(file, '{"seen":{{body.n}},"note":"{{body.note}}"}');
    expect((await client.run('answer', 'inbox', '--body', file, '--when', 'body.n>1')).exitCode).toBe(0);
    const answer = await deliver('{"n":2,"note":"\\""}');
    expect([answer.headers.get('content-type'), await answer.json()]).toEqual([
      'application/json',
      { seen: 2, note: '"' },
    ]);
    const usual = await deliver('{"n":1}');
    expect(await usual.json()).toMatchObject({ id: expect.any(String) });
    expect((await client.runWithInput('as text', 'answer', 'inbox', '--body', '-')).exitCode).toBe(0);
    const text = await deliver();
    expect([text.headers.get('content-type'), await text.text()]).toEqual(['text/plain; charset=utf-8', 'as text']);
  });

  test.each([
    ['flaky', [500, 500, 200]],
    ['gone', [410, 410, 410]],
  ])('--preset %s', async (name, expected) => {
    expect((await client.run('answer', 'inbox', '--preset', name)).exitCode).toBe(0);
    const body = `"${name}"`;
    expect(await statuses(body, body, body)).toEqual(expected);
  });

  test.each<[string, string[]]>([
    ['give --status, --body, --delay or --fault', ['--first', '2']],
    ['--when needs another option', ['--when', 'type:push']],
    ["--reset can't be combined with other options", ['--reset', '--status', '500']],
    ['--preset can be combined only with --when', ['--preset', 'gone', '--status', '500']],
    ['--preset must be one of flaky, rate-limited, gone, slow', ['--preset', 'odd']],
    ["--fault can't be combined with --status or --body", ['--fault', 'reset', '--status', '500']],
    ['--fault must be one of close, reset, stall', ['--fault', 'crash']],
    ['--chance must be a number from 0 to 1', ['--chance', '30%', '--status', '500']],
    ['--status must be a whole number from 200 to 599', ['--status', '99']],
    ['--delay must be a duration', ['--delay', '10']],
    ['--body: /no/where cannot be read: there is no such file or folder', ['--body', '/no/where']],
    ['--body: / cannot be read: it is a folder', ['--body', '/']],
    ['', ['--delay', '2m']],
    ['', ['--status', '500', '--when', 'tpye:push']],
  ])('%s: wrong usage', async (said, args) => {
    const { exitCode, stdout, stderr } = await client.run('answer', 'inbox', ...args);
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toStartWith(`hooktape: ${said}`);
  });
});
