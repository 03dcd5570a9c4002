/* Targets that fail, and what --on-fail makes of it. */
import { describe, expect, test } from 'bun:test';
import { jsonLines, response, useListenHarness } from '../../testing/listen-harness.ts';
import { eventually } from '../../testing/poll.ts';

const harness = await useListenHarness();

const toTarget = (...more: string[]) => harness.listen('--to', `${harness.target().origin}/hook?to=1`, ...more);

describe('a target that fails', () => {
  test('is tried again, and then held; other maps go on', async () => {
    harness.answerWith(({ target: path }) => response(path === '/bad' ? '503 No' : '200 OK'));
    const to = harness.target().origin;
    const listener = await harness.listen(
      '--map',
      `has:body.n=>${to}/bad`,
      '--map',
      `has:body.n=>${to}/good`,
      '--retry',
      '1',
    );
    for (const n of [1, 2]) await harness.deliver(`{"n":${n}}`);
    await eventually(() => listener.said.stderr.includes('Holding'));
    await harness.arrived(4);
    const count = (path: string) => harness.target().requests.filter(one => one.target === path).length;
    expect([count('/bad'), count('/good')]).toEqual([2, 2]);
    expect(listener.said.stderr).toMatch(/Retrying in 0\.[345] seconds\./);
  });

  test('with --on-fail skip loses the event, and says so', async () => {
    harness.answerWith(({ body }) => response(body.includes('1') ? '500 No' : '200 OK'));
    const listener = harness.start([
      '--to',
      harness.target().origin,
      '--retry',
      '0',
      '--on-fail',
      'skip',
      '--output',
      'json',
    ]);
    await eventually(() => listener.said.stdout.includes('connected'));
    const [one, two] = [await harness.deliver('{"n":1}'), await harness.deliver('{"n":2}')];
    await harness.arrived(2);
    await eventually(() => jsonLines(listener.said.stdout).filter(({ event }) => event === 'settled').length === 2);
    await listener.stop();
    const lines = jsonLines(listener.said.stdout).filter(({ id }) => id !== null);
    const about = (event: string, id: string, status: number | null, attempt: number | null) => ({
      event,
      id,
      type: null,
      target: harness.target().origin,
      status,
      ms: status === null ? null : expect.any(Number),
      attempt,
    });
    expect(lines.filter(({ id }) => id === one)).toEqual([
      about('received', one, null, null),
      about('failed', one, 500, 1),
      about('skipped', one, null, 1),
      about('settled', one, 500, 1),
    ]);
    expect(lines.filter(({ id }) => id === two)).toEqual([
      about('received', two, null, null),
      about('answered', two, 200, 1),
      about('settled', two, 200, 1),
    ]);
    expect(await harness.consumer()).toMatchObject({ behind: 0 });
  });

  test('with --on-fail stop ends it with 1, before the event', async () => {
    harness.answerWith(() => response('302 Found', '', 'Location: /elsewhere\r\n'));
    const listener = await toTarget('--retry', '0', '--on-fail', 'stop');
    await harness.deliver('{"n":1}');
    const { exitCode, stderr } = await listener.ended;
    expect([exitCode, harness.target().requests.length]).toEqual([1, 1]);
    expect(stderr).toContain('returned 302; stopped by --on-fail stop');
    expect(await harness.consumer()).toMatchObject({ behind: 1 });
  });

  test('that says nothing is given up after --timeout, and tried again', async () => {
    using silent = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Promise<Response>(() => {}) });
    const to = `http://127.0.0.1:${silent.port}/`;
    const listener = await harness.listen('--to', to, '--timeout', '100ms', '--retry', '0', '--on-fail', 'skip');
    await harness.deliver('{"n":1}');
    await eventually(() => listener.said.stdout.includes('skipped'));
    expect(listener.said.stdout).toContain('no response (no complete response within 0.1 s)');
  });

  test('is left alone as long as it asks', async () => {
    harness.answerWith((_, n) => (n === 0 ? response('429 Slow', '', 'Retry-After: 40\r\n') : response('200 OK')));
    const listener = await toTarget();
    await harness.deliver('{"n":1}');
    await eventually(() => listener.said.stderr.includes('Retrying in 40 seconds.'));
  });

  test('with several deliveries at once, as many as --concurrency', async () => {
    const waiting: (() => void)[] = [];
    using slow = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: () => new Promise<Response>(resolve => void waiting.push(() => resolve(new Response('')))),
    });
    for (const n of [1, 2, 3, 4, 5]) await harness.deliver(`{"n":${n}}`);
    const to = `http://127.0.0.1:${slow.port}/`;
    const listener = await harness.listen('--to', to, '--from', 'start', '--concurrency', '3', '--output', 'json');
    await eventually(() => waiting.length === 3);
    waiting.shift()?.();
    await eventually(() => waiting.length === 3);
    for (const answer of waiting.splice(0)) answer();
    await eventually(() => waiting.length === 1);
    waiting.shift()?.();
    await eventually(() => jsonLines(listener.said.stdout).filter(({ event }) => event === 'settled').length === 5);
  });

  test('finishes running deliveries at the end', async () => {
    const asked = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<Response>();
    using slow = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch() {
        asked.resolve();
        return answer.promise;
      },
    });
    const listener = await harness.listen('--to', `http://127.0.0.1:${slow.port}/`);
    await harness.deliver('{"n":1}');
    await asked.promise;
    const stopped = listener.stop();
    answer.resolve(new Response('done'));
    expect(await stopped).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('200 in') });
    expect(await harness.consumer()).toMatchObject({ behind: 0 });
  });
});
