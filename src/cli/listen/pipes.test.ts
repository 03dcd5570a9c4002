/* `hooktape listen` as a program whose output goes to another one, which ends first. */
import { afterEach, describe, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { response, useListenHarness } from '../../testing/listen-harness.ts';
import { eventually } from '../../testing/poll.ts';

const harness = await useListenHarness();
const main = join(import.meta.dir, '../../main.ts');
const started: Bun.Subprocess[] = [];
afterEach(() => {
  for (const one of started.splice(0)) one.kill('SIGTERM');
});

/** `ended`: the exit code of `listen`, once it is over. @param rest of the shell's line after the arguments: a pipe, a file */
async function listenInto(rest: string, ...args: string[]) {
  const script = `set -m; trap 'kill -KILL -$(jobs -p); exit' TERM
    { "$@"; echo "listen $?" >&2; } ${rest} & wait $!`;
  const words = [process.execPath, main, 'listen', harness.inbox().id, '--as', 'me', ...args];
  const child = Bun.spawn(['bash', '-c', script, 'bash', ...words], {
    env: { PATH: process.env['PATH'] ?? '', ...harness.client.env },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  started.push(child);
  const said = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    void (async () => {
      for await (const chunk of child[name]) said[name] += Buffer.from(chunk).toString();
    })();
  await eventually(() => said.stderr.includes('Connected'), 15_000);
  const ended = () => eventually(() => /listen \d+/.exec(said.stderr)?.[0], 15_000);
  return { said, ended };
}

const lineCount = (text: string): number => text.split('\n').length - 1;
/** Once the first reader has read so much, it has ended: `exit` closes its end before the shell prints the mark. */
const headWithMark = (lines: number): string => `| { head -${lines}; exec <&-; echo gone >&2; }`;

describe('when the reader of its output has gone', () => {
  test.each([
    ['lines', 2, 2],
    ['json', 5, 2],
  ] as const)(
    'it ends at the next event, which stays before the position: --output %s',
    async (output, lines, printed) => {
      const { said, ended } = await listenInto(headWithMark(lines), '--output', output);
      for (let n = 1; n <= printed; n++) await harness.deliver(`{"n":${n}}`);
      await eventually(() => said.stderr.includes('gone'), 15_000);
      expect(lineCount(said.stdout)).toBe(lines);
      for (const n of [3, 4]) await harness.deliver(`{"n":${n}}`);
      expect(await ended()).toBe('listen 0');
      expect(said.stderr).toContain('The program that read the output has ended, so hooktape listen ends, too.');
      expect(await harness.consumer()).toMatchObject({ behind: 2 });
      const next = await harness.listen('--json');
      await eventually(() => next.said.stdout.split('"settled"').length > 2);
      await next.stop();
      expect(await harness.consumer()).toMatchObject({ behind: 0 });
    },
    30_000,
  );

  test('it ends when that program has crashed', async () => {
    const worker = 'IFS= read -r line; echo "$line"; exec <&-; echo gone >&2; exit 1';
    const { said, ended } = await listenInto(`| bash -c '${worker}'`);
    await harness.deliver('{"n":1}');
    await eventually(() => said.stderr.includes('gone'), 15_000);
    await harness.deliver('{"n":2}');
    expect(await ended()).toBe('listen 0');
    expect(await harness.consumer()).toMatchObject({ behind: 1 });
  }, 120_000);

  test('a handler’s events end it, too: what the handler has taken is settled, the next ones are not sent', async () => {
    const { said, ended } = await listenInto(headWithMark(1), '--to', harness.target().origin);
    await harness.deliver('{"n":1}');
    await eventually(() => said.stderr.includes('gone'), 15_000);
    await harness.deliver('{"n":2}');
    expect(await ended()).toBe('listen 0');
    expect(harness.bodies()).toEqual(['{"n":1}', '{"n":2}']);
    await harness.deliver('{"n":3}');
    expect(await harness.consumer()).toMatchObject({ behind: 1 });
  }, 120_000);

  test('an event whose failure cannot be printed is not given up', async () => {
    harness.answerWith((_, n) => response(n === 0 ? '200 OK' : '500 No'));
    const policy = ['--retry', '0', '--on-fail', 'skip'];
    const { said, ended } = await listenInto(headWithMark(1), '--to', harness.target().origin, ...policy);
    await harness.deliver('{"n":1}');
    await eventually(() => said.stderr.includes('gone'), 15_000);
    await harness.deliver('{"n":2}');
    expect(await ended()).toBe('listen 0');
    expect(await harness.consumer()).toMatchObject({ behind: 1 });
  }, 120_000);

  test('a program of --exec runs for no further event', async () => {
    const { said, ended } = await listenInto(headWithMark(1), '--exec', 'cat');
    await harness.deliver('{"n":1}');
    await eventually(() => said.stderr.includes('gone'), 15_000);
    await harness.deliver('{"n":2}');
    expect(await ended()).toBe('listen 0');
    await harness.deliver('{"n":3}');
    expect(said.stderr).not.toContain('{"n":3}');
    expect(await harness.consumer()).toMatchObject({ behind: 1 });
  }, 120_000);
});

test.skipIf(!existsSync('/dev/full')).each([
  ['prints', []],
  ['delivers', ['--to']],
] as const)(
  'a full disk under its output ends it with 1 and the reason, when it %s',
  async (_, to) => {
    const targets = to.flatMap(option => [option, harness.target().origin]);
    const { said, ended } = await listenInto('> /dev/full', ...targets);
    await harness.deliver('{"n":1}');
    expect(await ended()).toBe('listen 1');
    expect(said.stderr).toContain('hooktape: the disk is full');
    expect(await harness.consumer()).toMatchObject({ behind: 1 - targets.length / 2 });
  },
  120_000,
);
