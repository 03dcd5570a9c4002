import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createHash, createHmac } from 'node:crypto';
import { fromHarEntry } from '../../cli/import/har-entry.ts';
import { detect } from '../../platforms/platforms.ts';
import { rowsOf } from '../../testing/events.ts';
import { eventually } from '../../testing/poll.ts';
import { openTestServer, type TestAccount, type TestServer } from '../../testing/test-server.ts';
import type { EventDetail, EventSummary } from '../events/model.ts';

let server: TestServer;
let ada: TestAccount;
let origin: string;

beforeAll(async () => {
  server = await openTestServer();
  ada = await server.createAccount();
  origin = await server.listen();
});
afterAll(() => server.close());

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const eventsOf = async (id: string, where = ''): Promise<EventSummary[]> =>
  (
    await ada.json<{ events: EventSummary[] }>(
      200,
      'GET',
      `/api/events?endpointId=${id}&limit=100${where && `&where=${encodeURIComponent(where)}`}`,
    )
  ).events;
const detailOf = (id: string): Promise<EventDetail> => ada.json<EventDetail>(200, 'GET', `/api/events/${id}`);
const mask = { in: 'body', path: 'customer.email', with: 'mask' } as const;
const email = 'ada.lovelace@example.com';
const body = JSON.stringify({ type: 'invoice.paid', customer: { email }, amount: 12 });
const kept = body.replace(email, '****.com');
const json = { 'content-type': 'application/json' };

/** An endpoint with rules. */
async function endpointWith(redaction: object) {
  const endpoint = await ada.createEndpoint();
  const path = `/api/endpoints/${endpoint.id}/redaction`;
  await ada.json(200, 'PUT', path, redaction);
  return { ...endpoint, path };
}

describe('/api/endpoints/{id}/redaction', () => {
  test('PUT replaces all and answers with it, GET returns it, DELETE removes it', async () => {
    const { id, url } = await ada.createEndpoint();
    const path = `/api/endpoints/${id}/redaction`;
    const none = { rules: [], otherBodies: 'drop', originalHash: 'drop' };
    expect(await ada.json(200, 'GET', path)).toEqual(none);
    const first = { rules: [mask], otherBodies: 'keep', originalHash: 'keep' };
    expect(await ada.json(200, 'PUT', path, first)).toEqual(first);
    expect(await ada.json(200, 'GET', path)).toEqual(first);
    const second = { rules: [{ detect: 'email', with: 'hash' }] };
    expect(await ada.json(200, 'PUT', path, second)).toEqual({ ...none, ...second });
    expect(await ada.json(200, 'DELETE', path)).toEqual({ ok: true });
    expect(await ada.json(200, 'DELETE', path)).toEqual({ ok: true });
    expect(await ada.json(200, 'GET', path)).toEqual(none);
    expect((await detailOf(await server.deliver({ url }, body))).redacted).toBeNull();
    expect(await ada.json(200, 'PUT', path, { otherBodies: 'keep' })).toEqual({ ...none, otherBodies: 'keep' });
    expect((await detailOf(await server.deliver({ url }, 'text'))).payloadRaw).toBe('text');
  });

  test('an error changes nothing and names the rule', async () => {
    const { path, url } = await endpointWith({ rules: [mask] });
    const refused = [
      [{ rules: [mask, { in: 'body', with: 'mask' }] }, 'rules[1].path'],
      [{ rules: [{ ...mask, in: 'cookie' }] }, 'rules[0].in'],
      [{ rules: [{ ...mask, with: 'encrypt' }] }, 'rules[0].with'],
      [{ rules: [{ ...mask, detect: 'email' }] }, 'rules[0]'],
      [{ rules: [{ ...mask, pth: 'x' }] }, 'rules[0].pth'],
      [{ rules: [{ detect: 'phone', with: 'mask' }] }, 'rules[0].detect'],
      [{ rules: [mask], otherBodies: 'maybe' }, 'otherBodies'],
      [{ rules: [{ ...mask, path: '' }] }, 'rules[0].path'],
      [{ rules: {} }, 'rules'],
      [{ rules: Array.from({ length: 51 }, () => mask) }, 'rules'],
    ] as const;
    for (const [wrong, message] of refused) {
      const { error } = await ada.json<{ error: string }>(400, 'PUT', path, wrong);
      expect([message, error]).toEqual([message, expect.stringContaining(message)]);
    }
    expect(await ada.json(200, 'GET', path)).toMatchObject({ rules: [mask] });
    expect((await detailOf(await server.deliver({ url }, body))).payloadRaw).toBe(kept);
    await ada.json(200, 'PUT', path, { rules: Array.from({ length: 50 }, () => mask) });
  });

  test('another team finds no endpoint, and a read-only key may only read', async () => {
    const { path } = await endpointWith({ rules: [mask] });
    const bob = await server.createAccount('bob@example.com');
    await bob.json(404, 'GET', path);
    await bob.json(404, 'PUT', path, { rules: [] });
    await bob.json(404, 'DELETE', path);
    const { key } = await ada.json<{ key: string }>(201, 'POST', '/api/keys', { name: 'r', readOnly: true });
    const call = async (method: string): Promise<number> => {
      const init = { method, headers: { authorization: `Bearer ${key}`, ...json } };
      return (await server.fetch(path, method === 'PUT' ? { ...init, body: '{"rules":[]}' } : init)).status;
    };
    expect(await Promise.all(['GET', 'PUT', 'DELETE'].map(call))).toEqual([200, 403, 403]);
  });

  test('each change is in the audit log', async () => {
    const { id, path } = await endpointWith({ rules: [mask] });
    await ada.json(200, 'DELETE', path);
    const { entries } = await ada.json<{ entries: { action: string; target: { id: string } }[] }>(
      200,
      'GET',
      '/api/audit?limit=10',
    );
    const own = entries.filter(({ target }) => target?.id === id).map(({ action }) => action);
    expect(own.filter(action => action === 'redaction.changed')).toHaveLength(2);
  });
});

describe('an event from which rules took something', () => {
  test('is kept without it, and says what was taken', async () => {
    const { id, url, path } = await endpointWith({ rules: [mask, { in: 'header', path: 'X-User', with: 'remove' }] });
    const event = await server.deliver({ url }, body, { headers: { ...json, 'X-User': email } });
    const detail = await detailOf(event);
    expect(detail).toMatchObject({
      payloadRaw: kept,
      size: kept.length,
      sha256: sha256(kept),
      redacted: { rules: 2, sha256: null },
    });
    expect(detail.redacted?.fields.toSorted()).toEqual([
      'body.customer.email',
      expect.stringMatching(/^header\.x-user$/i),
    ]);
    expect(JSON.stringify(detail)).not.toContain('lovelace');
    await ada.json(200, 'PUT', path, { rules: [mask], originalHash: 'keep' });
    const hashed = await detailOf(await server.deliver({ url }, body, { headers: json }));
    expect(hashed.redacted?.sha256).toBe(sha256(body));
    const plain = await server.deliver({ url }, '{"other":1}', { headers: json });
    expect((await detailOf(plain)).redacted).toBeNull();
    const [, , first] = await eventsOf(id);
    expect(first).toMatchObject({ payloadPreview: kept, size: kept.length, redacted: { rules: 2 } });
    expect((await eventsOf(id, 'is:redacted')).map(one => one.id)).toEqual([hashed.id, event]);
    expect((await eventsOf(id, 'NOT is:redacted')).map(one => one.id)).toEqual([plain]);
    expect(await eventsOf(id, 'is:redacted body.amount:12 size>1')).toHaveLength(2);
  });

  test('has the verdict of its arrival, whatever happens to secrets later', async () => {
    const { id, url } = await endpointWith({ rules: [mask] });
    const secret = 'the secret of the repository';
    const added = await ada.json<{ id: string }>(201, 'POST', `/api/endpoints/${id}/secrets`, {
      platform: 'github',
      secret,
    });
    const headers = {
      ...json,
      'X-GitHub-Event': 'push',
      'X-GitHub-Delivery': '72d3162e-cc78-11e3-81ab-4c9367dc0958',
      'X-Hub-Signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
    };
    const valid = await server.deliver({ url }, body, { headers });
    const forged = await server.deliver({ url }, body.replace('12', '13'), { headers });
    const unsigned = await server.deliver({ url }, body, { headers: json });
    const untouched = await server.deliver({ url }, '{}', { headers });
    const verdicts = async () =>
      Promise.all([valid, forged, unsigned, untouched].map(async one => (await detailOf(one)).signature));
    const arrived = [
      { verdict: 'valid', checked: 'arrival', platform: 'github' },
      { verdict: 'invalid', checked: 'arrival' },
      null,
      { verdict: 'invalid', checked: 'read' },
    ];
    expect(await verdicts()).toMatchObject(arrived);
    await ada
      .json(200, 'DELETE', `/api/secrets/${added.id}`)
      .catch(() => ada.json(200, 'DELETE', `/api/endpoints/${id}/secrets/${added.id}`));
    await ada.json(201, 'POST', `/api/endpoints/${id}/secrets`, { platform: null, secret: 'another secret, later' });
    expect((await verdicts()).slice(0, 3)).toMatchObject(arrived.slice(0, 3));
    expect((await eventsOf(id)).map(one => one.verdict)).toEqual(['invalid', 'none', 'invalid', 'valid']);
    expect((await eventsOf(id, 'verdict:valid')).map(one => one.id)).toEqual([valid]);
    // Attempts of one delivery are known by the id of the sender.
    const again = await detailOf(await server.deliver({ url }, body, { headers }));
    expect(again.delivery).toMatchObject({ basis: 'header', attempts: 4 });
  });

  test('has the number of the delivery as it came, and the type of what is left', async () => {
    const { id, url } = await endpointWith({
      rules: [mask, { in: 'body', path: 'type', with: 'remove' }],
    });
    const other = body.replace('ada', 'bea');
    const first = await server.deliver({ url }, body, { headers: json });
    const second = await server.deliver({ url }, other, { headers: json });
    const third = await server.deliver({ url }, body, { headers: json });
    const [a, b, c] = await Promise.all([first, second, third].map(detailOf));
    expect(a?.payloadRaw).toBe(b?.payloadRaw ?? '');
    expect([a, b, c].map(one => [one?.delivery.attempt, one?.delivery.attempts])).toEqual([
      [1, 2],
      [1, 1],
      [2, 2],
    ]);
    expect([a, b, c].map(one => one?.eventType)).toEqual([null, null, null]);
    const plain = await ada.createEndpoint();
    expect((await detailOf(await server.deliver(plain, body, { headers: json }))).eventType).toBe('invoice.paid');
    // What was taken can be guessed from no stored number.
    const numbers = await rowsOf(
      server,
      `SELECT delivery FROM events WHERE endpoint = (SELECT seq FROM endpoints WHERE id = '${id}')`,
    );
    expect(new Set(numbers.map(row => Number(row[0]))).size).toBe(2);
  });

  test('is answered by rules that see what came', async () => {
    const { id, url } = await endpointWith({ rules: [mask] });
    await ada.json(200, 'PUT', `/api/endpoints/${id}/answers`, {
      rules: [{ when: `body.customer.email:"${email}"`, per: 'delivery', first: 1, answer: { status: 503 } }],
    });
    const send = async (text: string): Promise<number> =>
      (await fetch(`${origin}${new URL(url).pathname}`, { method: 'POST', body: text, headers: json })).status;
    expect([await send(body), await send(body), await send('{}')]).toEqual([503, 200, 200]);
    expect((await eventsOf(id)).map(one => [one.answered.status, one.redacted !== null])).toEqual([
      [200, false],
      [200, true],
      [503, true],
    ]);
  });

  test('refused deliveries, test events and imports are redacted, too', async () => {
    const { id, url } = await endpointWith({
      rules: [mask, { detect: 'email', with: 'remove' }, { detect: 'ip', with: 'remove' }],
    });
    await ada.json(200, 'PATCH', `/api/endpoints/${id}`, { guard: { methods: ['PUT'], onRefuse: 'record' } });
    await fetch(`${origin}${new URL(url).pathname}`, { method: 'POST', body, headers: json });
    await ada.json(200, 'PATCH', `/api/endpoints/${id}`, { guard: null });
    const tested = await ada.json<{ eventId: string }>(201, 'POST', `/api/endpoints/${id}/test-events`, {
      platform: 'stripe',
    });
    const imported = {
      receivedAt: Date.now() - 3_600_000,
      method: 'POST',
      path: '',
      query: null,
      rawHeaders: [['X-Hub-Signature-256', `sha256=${'0'.repeat(64)}`]],
      platform: 'github',
      payloadRaw: body,
      payloadEncoding: 'utf8',
    };
    expect(await server.services.imports.add(id, [imported])).toMatchObject({ imported: 1 });
    expect(await server.services.imports.add(id, [imported])).toMatchObject({ imported: 0, alreadyThere: 1 });
    const events = await eventsOf(id);
    expect(events.map(one => one.redacted !== null)).toEqual([true, true, true]);
    expect(events.find(one => one.refused)).toMatchObject({ refused: 405, payloadPreview: kept });
    expect((await detailOf(tested.eventId)).signature).toMatchObject({ verdict: 'valid', checked: 'arrival' });
    const [, , last] = events;
    expect((await detailOf(last?.id ?? '')).signature).toMatchObject({
      verdict: 'unchecked',
      reason: 'redacted',
      checked: 'arrival',
    });
    expect((await detailOf(last?.id ?? '')).payloadRaw).toBe(kept);
  });

  test('is exported and imported as such', async () => {
    const { id, url } = await endpointWith({ rules: [mask], originalHash: 'keep' });
    await server.deliver({ url }, body, { headers: { ...json, 'Stripe-Signature': 't=1,v1=00' } });
    const redacted = { rules: 1, fields: ['body.customer.email'], sha256: sha256(body) };
    const text = await (await ada.call('GET', `/api/endpoints/${id}/export?format=json`)).text();
    const { events } = JSON.parse(text) as { events: object[] };
    expect(events).toMatchObject([{ redacted, payloadRaw: kept, sha256: sha256(kept) }]);
    const csv = await (await ada.call('GET', `/api/endpoints/${id}/export?format=csv`)).text();
    expect(csv).toContain('body.customer.email');
    const har = await (await ada.call('GET', `/api/endpoints/${id}/export?format=har`)).text();
    const [entry] = JSON.parse(har).log.entries;
    const fromHar = await ada.createEndpoint();
    await server.services.imports.add(fromHar.id, [fromHarEntry(entry, delivery => detect(delivery, []))]);
    expect((await eventsOf(fromHar.id))[0]).toMatchObject({ redacted, verdict: 'unchecked' });
    const target = await ada.createEndpoint();
    expect(await server.services.imports.add(target.id, events)).toMatchObject({ imported: 1 });
    expect(await server.services.imports.add(target.id, events)).toMatchObject({ alreadyThere: 1 });
    const [one] = await eventsOf(target.id);
    expect(one).toMatchObject({ redacted, verdict: 'unchecked' });
    expect(await detailOf(one?.id ?? '')).toMatchObject({
      signature: { verdict: 'unchecked', reason: 'redacted', checked: 'arrival' },
    });
  });

  test('goes with its row when it is deleted', async () => {
    const { id, url } = await endpointWith({ rules: [mask] });
    const [first] = [await server.deliver({ url }, body), await server.deliver({ url }, body)];
    const count = async (): Promise<number> =>
      Number(
        (
          await rowsOf(
            server,
            `SELECT count(*) AS n FROM redactions WHERE endpoint = (SELECT seq FROM endpoints WHERE id = '${id}')`,
          )
        )[0]?.[0] ?? 0,
      );
    expect(await count()).toBe(2);
    await ada.json(200, 'DELETE', `/api/events/${first}`);
    expect(await count()).toBe(1);
    await ada.json(200, 'DELETE', `/api/endpoints/${id}`);
    await eventually(async () => (await count()) === 0);
  });
});

test('rules hold for every delivery that is acknowledged after the answer to PUT', async () => {
  const endpoint = await ada.createEndpoint();
  let after = Number.POSITIVE_INFINITY;
  const send = async (): Promise<void> => {
    for (let left = 20; left > 0; after === Number.POSITIVE_INFINITY || left--)
      await server.deliver(endpoint, body, { headers: json });
  };
  const put = async (): Promise<void> => {
    await ada.json(200, 'PUT', `/api/endpoints/${endpoint.id}/redaction`, { rules: [mask] });
    // By what is stored: a response that was sent before the answer to PUT can arrive after it.
    const [row] = await rowsOf(server, 'SELECT coalesce(max(seq), 0) FROM events');
    after = Number(row?.[0]);
  };
  await Promise.all([put(), ...Array.from({ length: 16 }, send)]);
  const redacted = new Set((await rowsOf(server, 'SELECT event FROM redactions')).map(row => Number(row[0])));
  const seqs = (await rowsOf(server, `SELECT seq FROM events WHERE seq > ${after}`)).map(row => Number(row[0]));
  expect(seqs.length).toBeGreaterThan(100);
  expect(seqs.filter(seq => !redacted.has(seq))).toEqual([]);
});
