/* Looking at endpoints and events, against a real server. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type ClientHarness, openClientHarness } from '../../testing/client-commands.ts';
import { hooktape, hooktapeAtTerminal } from '../../testing/command.ts';

let client: ClientHarness;
let inbox: { id: string; url: string };
beforeAll(async () => {
  client = await openClientHarness();
  inbox = await client.json('endpoint', 'create', 'inbox');
});
afterAll(() => client.close());

const deliver = (body: string | Uint8Array, init?: RequestInit & { suffix?: string }) =>
  client.server.deliver(inbox, body, init);

test('hooktape whoami says whether the key may only read', async () => {
  const { key } = await client.ada.json<{ key: string }>(201, 'POST', '/api/keys', { name: 'r', readOnly: true });
  for (const [env, readOnly, said] of [
    [client.env, false, 'With the key in HOOKTAPE_KEY.\nThe key may read and write.\n'],
    [{ ...client.env, HOOKTAPE_KEY: key }, true, 'With the key in HOOKTAPE_KEY.\nThe key may only read.\n'],
  ] as const) {
    const { exitCode, stdout, stderr } = await hooktape(env, 'whoami');
    expect([exitCode, stdout, stderr]).toEqual([0, expect.stringMatching(/^ada@.*\t.*\t.*\n$/), said]);
    expect(JSON.parse((await hooktape(env, 'whoami', '--json')).stdout)).toMatchObject({ plan: 'pro', readOnly });
  }
});

describe('hooktape endpoint', () => {
  test('create prints the ingest URL alone, and list shows the endpoint', async () => {
    const created = await client.run('endpoint', 'create', 'orders');
    expect(created.exitCode).toBe(0);
    expect(created.stdout).toMatch(/^http\S+\/in\/\S+\n$/);
    expect(created.stderr).toContain('orders');
    const { stdout } = await client.run('endpoint', 'list');
    expect(stdout).toContain(`orders\t0 events\t${created.stdout}`);
    const { endpoints } = await client.json<{ endpoints: { name: string }[] }>('endpoint', 'list');
    expect(endpoints.map(({ name }) => name)).toContain('orders');
  });

  test('an endpoint is found by id, name and ingest URL, also under another host name', async () => {
    const path = new URL(inbox.url).pathname;
    for (const word of [inbox.id, 'inbox', inbox.url, `${client.url}${path}/some/path?x=1`])
      expect([word, (await client.run('events', word)).exitCode]).toEqual([word, 0]);
  });

  test('a name that two endpoints have is wrong usage, and a name that none has is refused', async () => {
    for (const _ of [1, 2]) await client.json('endpoint', 'create', 'twice');
    const shared = await client.run('events', 'twice');
    expect([shared.exitCode, shared.stdout]).toEqual([2, '']);
    expect(shared.stderr).toMatch(/2 endpoints are named twice; use an id: .*ep_\w+, ep_/);
    const missing = await client.run('events', 'inbxo');
    expect([missing.exitCode, missing.stdout]).toEqual([1, '']);
    expect(missing.stderr).toContain('did you mean inbox?');
  });

  test('a name is found in any case if one endpoint fits, but only its exact spelling is deleted', async () => {
    const made: string[] = [];
    for (const name of ['Case', 'cASE', 'Größe'])
      made.push((await client.json<{ id: string }>('endpoint', 'create', name)).id);
    const event = await client.server.deliver(await client.json<{ url: string }>('endpoint', 'create', 'lower'));
    expect(await client.json('events', 'LOWER')).toMatchObject({ events: [{ id: event }] });
    expect(await client.json('events', 'GRÖßE')).toMatchObject({ events: [] });
    for (const exact of ['Case', 'cASE']) expect((await client.run('events', exact)).exitCode).toBe(0);
    const several = await client.run('events', 'case');
    expect([several.exitCode, several.stderr]).toEqual([1, expect.stringContaining('no endpoint case')]);
    const deleted = await client.run('endpoint', 'delete', 'Lower');
    expect([deleted.exitCode, deleted.stderr]).toEqual([1, expect.stringContaining('did you mean lower?')]);
    for (const name of ['Case', 'cASE', 'Größe', 'lower'])
      expect((await client.run('endpoint', 'delete', name)).exitCode).toBe(0);
  });

  test('delete asks at a terminal, and needs --pinned for one with pinned events', async () => {
    const made = await client.json<{ id: string; url: string }>('endpoint', 'create', 'short-lived');
    const id = await client.server.deliver(made);
    await client.json('pin', id, 'keep');
    const ask = async (): Promise<string> => 'n';
    const refused = await hooktapeAtTerminal({ ask }, client.env, 'endpoint', 'delete', 'short-lived');
    expect([refused.exitCode, refused.stderr]).toEqual([1, 'hooktape: cancelled: nothing was deleted\n']);
    const pinned = await client.run('endpoint', 'delete', 'short-lived');
    expect([pinned.exitCode, pinned.stdout]).toEqual([1, '']);
    expect(pinned.stderr).toContain('--pinned');
    expect(await client.json('endpoint', 'delete', 'short-lived', '--pinned')).toEqual({ ok: true });
    expect((await client.run('events', made.id)).exitCode).toBe(1);
  });
});

describe('hooktape events', () => {
  test('lists the newest first, filtered and as many as asked for, in the shape of the API', async () => {
    const { id: endpoint, url } = await client.json<{ id: string; url: string }>('endpoint', 'create', 'listed');
    const ids: string[] = [];
    for (let n = 0; n < 105; n++)
      ids.unshift(await client.server.deliver({ url }, `{"n":${n},"kind":"${n % 2 ? 'odd' : 'even'}"}`));
    const list = async (...more: string[]) =>
      (await client.json<{ events: { id: string }[] }>('events', endpoint, ...more)).events.map(({ id }) => id);
    expect(await list()).toEqual(ids.slice(0, 25));
    expect(await list('--limit', '103')).toEqual(ids.slice(0, 103));
    expect(await list('--where', 'body.n<3')).toEqual(ids.slice(-3));
    // A filter may begin with a dash.
    expect(await list('--where', '-body.kind:even', '--limit', '2')).toEqual([ids[1] ?? '', ids[3] ?? '']);
    const page = await client.json('events', endpoint, '--limit', '2');
    expect(Object.keys(page).sort()).toEqual(['events', 'nextCursor', 'scannedTo']);
  });

  test('a wrong filter is wrong usage, and the place is shown', async () => {
    const { exitCode, stdout, stderr } = await client.run('events', 'inbox', '--where', 'size>10k tpye:push');
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toContain('  size>10k tpye:push\n           ^\n');
    expect(stderr).toContain('type');
  });

  test.each([['0'], ['-1'], ['1.5'], ['many'], ['100001']])('--limit %s is wrong usage', async limit => {
    expect((await client.run('events', 'inbox', '--limit', limit)).exitCode).toBe(2);
  });
});

describe('hooktape show', () => {
  test('prints headers, signature and body; with --json the event of the API', async () => {
    const id = await deliver('{"amount":12345678901234567890,"amount":1,"note":"a"}', {
      headers: { 'content-type': 'application/json', 'X-GitHub-Event': 'push', authorization: 'Bearer x' },
      suffix: '/path?x=1',
    });
    const { exitCode, stdout } = await client.run('show', id);
    expect(exitCode).toBe(0);
    expect(stdout).toContain('POST /path?x=1');
    expect(stdout).toContain('[redacted]');
    // Indented, but nothing is changed: JavaScript would drop the first amount and round it.
    expect(stdout).toContain('{\n  "amount": 12345678901234567890,\n  "amount": 1,\n  "note": "a"\n}');
    expect(await client.json('show', id)).toMatchObject({
      id,
      payloadRaw: expect.stringContaining('12345678901234567890'),
    });
  });

  test('--raw writes the body byte by byte, and to a terminal only text', async () => {
    const binary = Uint8Array.of(0, 1, 0x1b, 0x5b, 0xff, 0x0a);
    const id = await deliver(binary);
    expect(Buffer.from((await client.run('show', id, '--raw')).stdout, 'latin1')).toEqual(Buffer.from(binary));
    const refused = await client.runAtTerminal('show', id, '--raw');
    expect([refused.exitCode, refused.stdout]).toEqual([2, '']);
    expect(refused.stderr).toContain('the body is binary');
    const text = await deliver('red\u001b[31m\nsecond\ttab');
    expect((await client.runAtTerminal('show', text, '--raw')).stdout).toBe('red\\u001b[31m\nsecond\ttab');
  });

  test('an event that does not exist is refused', async () => {
    for (const id of ['evt_nothing', '../keys', '@nothing']) {
      const { exitCode, stdout } = await client.run('show', id);
      expect([id, exitCode, stdout]).toEqual([id, 1, '']);
    }
  });
});

// biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the point
const unsafe = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;
const hostile = '\u001b]0;title\u0007\u001b[2J\u009b31m\u202egnp.exe\u2066\r\u0008\u007f\u0085';

describe('hostile text', () => {
  test('of an event reaches no terminal, pipe or JSON reader as it is', async () => {
    const endpoint = await client.json<{ id: string; url: string }>('endpoint', 'create', 'hostile');
    const body = JSON.stringify({ type: hostile, note: hostile });
    const id = await client.server.deliver(endpoint, body.replaceAll('\\u001b', '\u001b'), {
      headers: { 'content-type': 'application/json', 'x-note': 'a\u009b31m\u0085b' },
      suffix: `/${encodeURIComponent(hostile)}?${encodeURIComponent(hostile)}`,
    });
    await client.json('tag', id, 'plain');
    for (const args of [
      ['events', endpoint.id],
      ['show', id],
      ['show', id, '--json'],
      ['send', id, '--to', 'http://127.0.0.1:1/', '--dry-run'],
      ['send', id, '--to', 'http://127.0.0.1:1/', '--dry-run', '--json'],
    ])
      for (const ended of [await client.run(...args), await client.runAtTerminal(...args)]) {
        expect([args, ended.exitCode]).toEqual([args, 0]);
        expect(`${ended.stdout}${ended.stderr}`).not.toMatch(unsafe);
      }
    for (const format of ['json', 'har', 'ndjson', 'csv', 'curl']) {
      const { exitCode, stdout } = await client.runAtTerminal('export', endpoint.id, '--format', format);
      expect([format, exitCode]).toEqual([format, 0]);
      expect(stdout).not.toMatch(unsafe);
    }
  });

  test('a table at a terminal is cut to its width', async () => {
    await deliver(`{"note":"${'wide '.repeat(100)}"}`);
    const { stdout } = await client.runAtTerminal('events', 'inbox');
    for (const line of stdout.split('\n')) expect(Bun.stringWidth(line)).toBeLessThanOrEqual(80);
  });
});

describe('hooktape export', () => {
  test('writes what the API sends, filtered, in every format', async () => {
    const endpoint = await client.json<{ id: string; url: string }>('endpoint', 'create', 'exported');
    await client.server.deliver(endpoint, '{"n":1}');
    await client.server.deliver(endpoint, '{"n":2}');
    const { stdout } = await client.run('export', 'exported', '--where', 'body.n:2', '--format', 'ndjson');
    expect(
      stdout
        .trim()
        .split('\n')
        .map(line => JSON.parse(line).payloadRaw),
    ).toEqual(['{"n":2}']);
    const whole = await client.run('export', 'exported');
    expect(JSON.parse(whole.stdout).events).toHaveLength(2);
    expect((await client.run('export', 'exported', '--format', 'xml')).exitCode).toBe(2);
    expect((await client.run('export', 'exported', '--where', 'tpye:x')).exitCode).toBe(2);
  });
});

describe('pins and tags', () => {
  test('a pin stands for its event, keeps what is not given, and goes again', async () => {
    const id = await deliver('{"pinned":true}');
    expect((await client.run('pin', id, 'golden', '--note', 'the first')).stdout).toBe(`pinned ${id} as @golden\n`);
    expect(await client.json('pin', '@golden', '--note', 'again')).toMatchObject({
      id,
      pin: { name: 'golden', note: 'again' },
    });
    expect(await client.json('tag', '@golden', 'b', 'a', 'b')).toMatchObject({ id, tags: ['b', 'a'] });
    expect((await client.run('events', 'inbox', '--where', 'is:pinned')).stdout).toContain('@golden #b #a');
    for (const [words, said] of [
      [[], 'TAG is missing; --none removes all tags'],
      [['a', '--none'], '--none removes all tags: leave out TAG'],
    ] as const) {
      const refused = await client.run('tag', '@golden', ...words);
      expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining(said)]);
    }
    expect((await client.run('tag', '@golden', '--none')).stdout).toBe(`${id} has no tags\n`);
    expect(await client.json('show', id)).toMatchObject({ tags: [] });
    expect(await client.json('unpin', '@golden')).toEqual({ ok: true });
    expect((await client.run('show', '@golden')).exitCode).toBe(1);
    expect((await client.run('pin', id, 'No Name')).exitCode).toBe(1);
  });

  test('a pin that two endpoints have is wrong usage', async () => {
    for (const name of ['first', 'second']) {
      const endpoint = await client.json<{ id: string; url: string }>('endpoint', 'create', name);
      await client.json('pin', await client.server.deliver(endpoint), 'same');
    }
    const { exitCode, stderr } = await client.run('show', '@same');
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/evt_\w+, evt_/);
  });
});

describe('without a server', () => {
  test('nothing that listens is exit code 4, a wrong key and no key are 1', async () => {
    const unreachable = await hooktape({ ...client.env, HOOKTAPE_URL: 'http://127.0.0.1:1' }, 'whoami');
    expect([unreachable.exitCode, unreachable.stdout]).toEqual([4, '']);
    expect(unreachable.stderr).toContain('http://127.0.0.1:1');
    const wrong = await hooktape({ ...client.env, HOOKTAPE_KEY: 'htk_wrong' }, 'whoami');
    expect([wrong.exitCode, wrong.stdout]).toEqual([1, '']);
    expect(wrong.stderr).toContain('HOOKTAPE_KEY');
    const none = await hooktape(client.anonymous, 'whoami', '--json');
    expect([none.exitCode, none.stdout]).toEqual([1, '']);
    expect(JSON.parse(none.stderr)).toEqual({ error: expect.stringContaining('hooktape login'), exitCode: 1 });
  });

  test('an answer of a hostile server does not reach the terminal unescaped', async () => {
    const event = await client.ada.json<object>(200, 'GET', `/api/events/${await deliver('x')}`);
    const forged = { ...event, id: 'evt_\u001b]0;title\u0007', payloadEncoding: 'base64', payloadRaw: '/w==' };
    using hostile = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => Response.json(forged) });
    const env = { ...client.env, HOOKTAPE_URL: `http://127.0.0.1:${hostile.port}` };
    const { exitCode, stdout } = await hooktape(env, 'show', 'evt_1');
    expect([exitCode, stdout.includes('\u001b')]).toEqual([0, false]);
    expect(stdout).toContain('--raw > FILE');
  });

  test('an answer that is not Hooktape’s, and a redirect, are refused without following it', async () => {
    let followed = 0;
    using other = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: request => {
        const { pathname } = new URL(request.url);
        if (pathname === '/elsewhere') followed++;
        return pathname === '/api/me' ? Response.redirect('/elsewhere', 302) : new Response('<html>');
      },
    });
    const elsewhere = { ...client.env, HOOKTAPE_URL: `http://127.0.0.1:${other.port}` };
    expect((await hooktape(elsewhere, 'whoami')).exitCode).toBe(1);
    expect((await hooktape(elsewhere, 'endpoint', 'list')).exitCode).toBe(1);
    expect(followed).toBe(0);
  });

  test('the rate limit is waited for', async () => {
    let calls = 0;
    using busy = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: () =>
        ++calls === 1
          ? Response.json({ error: 'rate limit exceeded' }, { status: 429, headers: { 'retry-after': '7' } })
          : Response.json({ email: 'ada@example.com', plan: 'pro' }),
    });
    const slept: number[] = [];
    const sleep = async (ms: number): Promise<void> => void slept.push(ms);
    const env = { ...client.env, HOOKTAPE_URL: `http://127.0.0.1:${busy.port}` };
    const { exitCode, stdout } = await hooktapeAtTerminal({ sleep }, env, 'whoami');
    expect([exitCode, stdout, slept]).toEqual([0, `ada@example.com\tpro\t${env.HOOKTAPE_URL}\n`, [7000]]);
  });
});
