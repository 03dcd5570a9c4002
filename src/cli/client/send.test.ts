/* Sending events from this machine: what arrives, edits, signatures, targets, exit codes. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { createHmac } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Stripe from 'stripe';
import { type ClientHarness, openClientHarness } from '../../testing/client-commands.ts';
import { hooktape, hooktapeWithInput } from '../../testing/command.ts';
import { recordRequests } from '../../testing/request-recorder.ts';
import { thrownBy } from '../../testing/thrown-by.ts';

const secret = 'whsec_of_the_developer';
const body =
  '{"id":"evt_1","object":"event","type":"invoice.paid","data":{"amount":12345678901234567890,"items":[{"sku":"A-1"},{"sku":"B-2"}]}}';

let client: ClientHarness;
let id: string;
beforeAll(async () => {
  client = await openClientHarness();
  const inbox = await client.json<{ id: string; url: string }>('endpoint', 'create', 'inbox');
  const old = Math.floor(Date.now() / 1000) - 3600;
  const headers = {
    'Content-Type': 'application/json',
    'Stripe-Signature': `t=${old},v1=${createHmac('sha256', secret).update(`${old}.${body}`).digest('hex')}`,
    'X-MiXed-Case': 'kept',
    Authorization: 'Bearer secret',
    'X-Forwarded-For': '192.0.2.1',
  };
  id = await client.server.deliver(inbox, body, { headers, suffix: '/captured?x=1' });
});
afterAll(() => client.close());

const response = (status: string, text = '', more = '') =>
  `HTTP/1.1 ${status}\r\nContent-Length: ${text.length}\r\n${more}Connection: close\r\n\r\n${text}`;

type Target = Awaited<ReturnType<typeof recordRequests>>;
let target: Target;
let answer: string | undefined;
beforeEach(async () => {
  answer = response('200 OK', 'thanks');
  target = await recordRequests(() => answer);
});
afterEach(() => target.close());

const send = (...more: string[]) =>
  hooktape({ ...client.env, SECRET: secret }, 'send', id, '--to', `${target.origin}/hook?to=1`, ...more);
/** The one request of a command that ends with 0. */
async function sent(...more: string[]) {
  const { exitCode, stderr } = await send(...more);
  expect([exitCode, stderr]).toEqual([0, '']);
  const [request, ...others] = target.requests.splice(0);
  expect(others).toEqual([]);
  const headers = new Map(request?.headers.map(([name, value]) => [name.toLowerCase(), value]));
  return { request, headers, body: request?.body.toString() ?? '' };
}

describe('hooktape send', () => {
  test('sends bytes, order and case as captured, without credentials, and says where they are from', async () => {
    const { request, headers } = await sent();
    expect([request?.method, request?.target, request?.body.toString()]).toEqual(['POST', '/hook?to=1', body]);
    expect(request?.headers.map(([name]) => name)).toContain('X-MiXed-Case');
    expect(headers.get('host')).toBe(new URL(target.origin).host);
    expect(headers.get('x-service-replay')).toBe(id);
    for (const name of ['authorization', 'x-forwarded-for', 'x-hooktape-edited', 'x-forwarded-host'])
      expect([name, headers.has(name)]).toEqual([name, false]);
  });

  test('prints status and answer, escaped; with --json as the API would', async () => {
    answer = response('418 No', 'so\u001b[31mrry', 'X-Answer: yes\r\n');
    const { exitCode, stdout } = await send();
    expect([exitCode, stdout.replace(/\d+ ms/, 'N ms')]).toEqual([1, '418 in N ms\nso\\u001b[31mrry\n']);
    const json = await send('--json');
    expect(json.exitCode).toBe(1);
    expect(JSON.parse(json.stdout)).toMatchObject({
      ok: false,
      status: 418,
      destination: `${target.origin}/hook?to=1`,
      signed: false,
      edited: false,
      responsePreview: 'so\u001b[31mrry',
      response: { bodyEncoding: 'utf8', truncated: false, headers: expect.arrayContaining([['X-Answer', 'yes']]) },
    });
  });

  test('a redirect is not followed, and no answer is exit code 1', async () => {
    answer = response('302 Found', '', `Location: ${target.origin}/elsewhere\r\n`);
    expect((await send()).exitCode).toBe(1);
    expect(target.requests).toHaveLength(1);
    answer = undefined;
    const { exitCode, stdout, stderr } = await send();
    expect([exitCode, stdout]).toEqual([1, '']);
    expect(stderr).toContain('no response');
  });

  test('--times sends it again and again, and one answer that is no 2xx is exit code 1', async () => {
    const { exitCode, stdout } = await send('--times', '3', '--json');
    expect([exitCode, target.requests.length, stdout.trim().split('\n').length]).toEqual([0, 3, 3]);
    expect((await send('--times', '0')).exitCode).toBe(2);
  });

  test('the answer is reported to the server, and a server that does not take it is no failure', async () => {
    const reports: unknown[] = [];
    let status = 200;
    using front = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      async fetch(request) {
        const { pathname, search } = new URL(request.url);
        if (!pathname.endsWith('/attempts'))
          return fetch(client.url + pathname + search, { headers: request.headers, decompress: false });
        reports.push(await request.json());
        return Response.json({ accepted: 1 }, { status });
      },
    });
    const env = { ...client.env, HOOKTAPE_URL: `http://127.0.0.1:${front.port}` };
    answer = response('201 Created', 'x'.repeat(5000));
    for (const [given, said] of [
      [200, ''],
      [404, ''],
      [403, 'The response could not be reported'],
    ] as const) {
      status = given;
      const { exitCode, stderr } = await hooktape(env, 'send', id, '--to', target.origin);
      expect([given, exitCode, stderr]).toEqual([given, 0, expect.stringContaining(said)]);
    }
    // What the target echoes of this machine's secrets stays here.
    answer = response('200 OK', `got ${secret} and "Basic aHVudGVyMjpwdw=="`, `X-Echo: ${secret}\r\n`);
    const echoed = ['--secret-env', 'SECRET', '--resign', '--header', 'Authorization: Basic aHVudGVyMjpwdw=='];
    await hooktape({ ...env, SECRET: secret }, 'send', id, '--to', target.origin, ...echoed);
    const reported = reports.pop();
    expect(reported).toMatchObject({ attempts: [{ signed: true, edited: true }] });
    const report = JSON.stringify(reported);
    expect(report).toContain('got [redacted] and');
    expect([report.includes(secret), report.includes('aHVudGVyMjpwdw')]).toEqual([false, false]);

    const kept = { body: 'x'.repeat(4096), bodyEncoding: 'utf8', truncated: true, headers: expect.any(Array) };
    const attempt = {
      eventId: id,
      destination: target.origin,
      status: 201,
      durationMs: expect.any(Number),
      signed: false,
      edited: false,
      response: kept,
    };
    expect(reports).toEqual([1, 2, 3].map(() => ({ attempts: [attempt] })));
  });
});

test('a request is the same as one that the server would send', async () => {
  const url = `${target.origin}/hook`;
  const edit = { set: { type: 'invoice.voided' }, unset: ['data.items'], headers: [['x-mixed-case', null]] };
  for (const [given, words] of [
    [{}, []],
    [{ edit }, ['--set', 'type=invoice.voided', '--unset', 'data.items', '--header', 'x-mixed-case:']],
  ] as const) {
    const server = await client.ada.json(200, 'POST', `/api/events/${id}/replay`, { url, dryRun: true, ...given });
    expect(await client.json('send', id, '--to', url, '--dry-run', ...words)).toEqual(server);
  }
});

test('an answer stands in the replays of the event', async () => {
  await send('--set', 'type=x');
  const { replays } = await client.json<{ replays: unknown[] }>('show', id);
  const response = expect.objectContaining({ body: 'thanks', truncated: false });
  expect(replays[0]).toMatchObject({ destination: `${target.origin}/hook?to=1`, status: 200, via: 'listen', response });
});

describe('edits', () => {
  test('--set and --unset leave every other byte as it was', async () => {
    const { headers, body: edited } = await sent('--set', 'data.items.0.sku=A=2', '--unset', 'data.items.1');
    expect(edited).toBe(body.replace('"A-1"', '"A=2"').replace(',{"sku":"B-2"}', ''));
    expect([headers.get('x-hooktape-edited'), headers.get('content-length')]).toEqual(['1', String(edited.length)]);
    expect((await sent('--set', 'data.amount=98765432109876543210.0')).body).toContain(
      '"amount":98765432109876543210.0,',
    );
    expect((await sent('--set', 'data={"a":[1]}')).body).toContain('"data":{"a":[1]}}');
  });

  test('--header replaces, adds and removes; a credential can be put back', async () => {
    const { request, headers } = await sent(
      ...['--header', 'x-mixed-case: new', '--header', 'Authorization: Bearer again', '--header', 'Stripe-Signature:'],
    );
    expect(headers.get('x-mixed-case')).toBe('new');
    expect(headers.get('authorization')).toBe('Bearer again');
    expect(headers.has('stripe-signature')).toBe(false);
    expect(request?.body.toString()).toBe(body);
    expect(headers.get('x-hooktape-edited')).toBe('1');
  });

  test('--body sends a file or standard input', async () => {
    const file = join(client.directory, 'body.json');
    writeFileSync(file, '{"a":1}');
    expect((await sent('--body', file, '--set', 'a=2')).body).toBe('{"a":2}');
    // Without a scheme, as people type it.
    const words = ['send', id, '--to', target.origin.replace('http://', ''), '--body', '-'];
    expect((await hooktapeWithInput('ignored by this harness', client.env, ...words)).exitCode).toBe(0);
  });

  test.each([
    [2, ['--set', 'data']],
    [2, ['--header', 'no colon']],
    [2, ['--header', 'x: a\u0001b']],
    [2, ['--header', 'Host: other']],
    [1, ['--set', 'data.missing=1']],
    [1, ['--body', '/no/where']],
  ])('exits with %d for %j, and sends nothing', async (expected, words) => {
    const { exitCode, stdout, stderr } = await send(...words);
    expect([exitCode, stdout, target.requests]).toEqual([expected, '', []]);
    expect(stderr).toStartWith('hooktape: ');
  });

  test('what is wrong with an edit is said in the words of the options', async () => {
    const inbox = await client.json<{ id: string; url: string }>('endpoint', 'create', 'texts');
    const text = await client.server.deliver(inbox, 'not JSON');
    for (const [event, words, said] of [
      [text, ['--set', 'a=1'], 'the body is not JSON, so it has no paths: replace it with --body or --edit'],
      [id, ['--unset', ''], 'a path of the edit is empty: replace the whole body with --body or --edit'],
      [id, ['--header', 'a b: c'], '--header has a name that no header can have'],
      [id, ['--body', '/no/where'], '--body: /no/where cannot be read: there is no such file or folder'],
    ] as const) {
      const { stderr } = await hooktape(client.env, 'send', event, '--to', target.origin, ...words);
      expect(stderr.split('\n')[0]).toBe(`hooktape: ${said}`);
    }
  });
});

describe('signing', () => {
  const construct = ({ headers, body: text }: Awaited<ReturnType<typeof sent>>) =>
    Stripe.webhooks.constructEventAsync(text, headers.get('stripe-signature') ?? '', secret);

  test('--resign makes what Stripe’s library accepts, also of an edited body', async () => {
    const captured = await sent();
    expect(await thrownBy(construct(captured))).toThrow('outside the tolerance');
    const edited = await sent('--resign', '--secret-env', 'SECRET', '--set', 'type=invoice.voided');
    expect((await construct(edited)).type).toBe('invoice.voided');
    expect(edited.headers.get('x-hooktape-edited')).toBe('1');
    const fresh = await sent('--resign', '--secret-env', 'SECRET');
    expect((await construct(fresh)).id).toBe('evt_1');
    expect(fresh.headers.has('x-hooktape-edited')).toBe(false);
  });

  test('a handler that refuses an edited event is explained, and so is an old signature', async () => {
    answer = response('400 Bad Request');
    const said = async (...words: string[]): Promise<string> => (await send(...words)).stderr;
    const edited = 'hooktape: the signature no longer fits: try --resign --secret-env N\n';
    const old = 'hooktape: signed 1 h ago, Stripe allows 5 min: try --resign\n';
    expect(await said('--set', 'type=x')).toBe(edited);
    expect(await said('--set', 'type=x', '--times', '2')).toBe(edited);
    expect(await said('--set', 'type=x', '--resign', '--secret-env', 'SECRET')).toBe('');
    expect(await said('--set', 'type=x', '--header', 'Stripe-Signature:')).toBe('');
    expect(await said('--header', 'x-other: 1')).toBe(old);
    expect(await said()).toBe(old);
    answer = response('200 OK');
    expect(await said('--set', 'type=x')).toBe('');
  });

  test('--tamper makes what it refuses', async () => {
    const tampered = await sent('--tamper', '--secret-env', 'SECRET');
    expect(tampered.headers.get('stripe-signature')).toMatch(/^t=\d+,v1=[0-9a-f]{64}$/);
    expect(await thrownBy(construct(tampered))).toThrow('signatures');
  });

  test('--dry-run prints the request and sends nothing', async () => {
    const { exitCode, stdout } = await send('--resign', '--secret-env', 'SECRET', '--dry-run', '--json');
    const shown = JSON.parse(stdout);
    expect([exitCode, target.requests]).toEqual([0, []]);
    expect(Object.keys(shown)).toEqual(['dryRun', 'method', 'url', 'headers', 'body', 'bodyEncoding']);
    expect(shown).toMatchObject({ dryRun: true, method: 'POST', url: `${target.origin}/hook?to=1`, body });
    expect(new Map(shown.headers).get('x-service-replay')).toBe(id);
    const text = (await send('--dry-run')).stdout;
    expect(text).toContain(`POST ${target.origin}/hook?to=1\n`);
    expect(text).not.toContain(secret);
  });

  test.each([
    ['signing needs --secret-env', ['--resign']],
    ['NOT_SET is not set', ['--resign', '--secret-env', 'NOT_SET']],
    ['--secret-env needs', ['--secret-env', 'SECRET']],
    ['--new-id needs', ['--new-id']],
  ])('"%s" is wrong usage', async (said, words) => {
    const { exitCode, stderr } = await send(...words);
    expect([exitCode, stderr, target.requests]).toEqual([2, expect.stringContaining(said), []]);
  });

  test('a sender that cannot be signed for is exit code 1', async () => {
    const inbox = await client.json<{ id: string; url: string }>('endpoint', 'create', 'unknown');
    const unknown = await client.server.deliver(inbox, '{"a":1}');
    const words = ['send', unknown, '--to', target.origin, '--resign', '--secret-env', 'SECRET'];
    const { exitCode, stderr } = await hooktape({ ...client.env, SECRET: secret }, ...words);
    expect([exitCode, stderr, target.requests]).toEqual([1, expect.stringContaining('cannot_sign:'), []]);
  });
});
