/* Which alerts there may be, and what people see of them. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type AlertBench, openAlerts, openMailServer, openReceiver } from '../../testing/alerts.ts';

let bench: AlertBench;
const mailServer = await openMailServer();
beforeAll(async () => {
  bench = await openAlerts();
});
afterAll(async () => {
  await bench.close();
  await mailServer.close();
});

describe('POST /api/endpoints/{id}/alerts', () => {
  test('shows a secret once, and stores nothing of the channel in the clear', async () => {
    const { id } = await bench.ada.createEndpoint();
    const path = `/api/endpoints/${id}/alerts`;
    const url = 'https://hooks.example.com/services/T0/B0/very-secret-path';
    const created = await bench.create(id, { kind: 'silence', minutes: 5, channel: { type: 'webhook', url } });
    expect(created).toEqual({
      id: expect.stringMatching(/^alr_/),
      name: 'an alert',
      kind: 'silence',
      where: null,
      minutes: 5,
      count: null,
      channel: { type: 'webhook', url, to: null, secret: expect.stringMatching(/^whsec_/) },
      enabled: true,
      firing: false,
      changedAt: null,
      lastSentAt: null,
      lastError: null,
      createdAt: expect.any(Number),
    });
    const { secret } = created.channel;
    expect((await bench.alert(id)).channel).toEqual({ type: 'webhook', url, to: null, secret: null });
    const one = `${path}/${created.id}`;
    const kept = await bench.ada.json(200, 'PATCH', one, { channel: { type: 'webhook', url } });
    expect(kept['channel']).toEqual({ type: 'webhook', url, to: null, secret: null });
    const given = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
    const changed = await bench.ada.json(200, 'PATCH', one, { channel: { type: 'webhook', url, secret: given } });
    expect(changed['channel']).toEqual({ type: 'webhook', url, to: null, secret: given });
    const { rows } = await bench.server.services.database.client.execute('SELECT * FROM alerts');
    const stored = rows.map(row =>
      Object.values(row).map(value =>
        value instanceof ArrayBuffer ? Buffer.from(value).toString('latin1') : String(value),
      ),
    );
    expect(JSON.stringify(stored)).toContain('an alert');
    for (const hidden of ['very-secret-path', secret, given]) expect(JSON.stringify(stored)).not.toContain(hidden);
  });

  test.each([
    ['silence without minutes', { kind: 'silence' }, 'minutes: required'],
    ['a count for silence', { kind: 'silence', minutes: 1, count: 2 }, 'count'],
    ['minutes for new_type', { kind: 'new_type', minutes: 2 }, 'minutes'],
    ['where for new_type', { kind: 'new_type', where: 'type:a' }, 'where'],
    ['a wrong filter', { kind: 'silence', minutes: 1, where: 'size>' }, 'where'],
    ['where for forward_stuck', { kind: 'forward_stuck', where: 'type:a' }, 'where'],
    ['an unknown kind', { kind: 'storage' }, 'kind'],
    ['minutes of 0', { kind: 'silence', minutes: 0 }, 'minutes'],
    ['no URL', { kind: 'new_type', channel: { type: 'slack' } }, 'channel.url'],
    ['a URL that is none', { kind: 'new_type', channel: { type: 'slack', url: 'ftp://example.com' } }, 'url'],
    [
      'an address for slack',
      { kind: 'new_type', channel: { type: 'slack', url: 'https://a.b', to: 'a@b.c' } },
      'channel.to',
    ],
    ['email without a mail server', { kind: 'new_type', channel: { type: 'email', to: 'a@b.c' } }, 'HOOKTAPE_SMTP_URL'],
    [
      'a short secret',
      { kind: 'new_type', channel: { type: 'webhook', url: 'https://a.b', secret: 'whsec_AAAA' } },
      'secret',
    ],
    ['a name with a line break', { kind: 'new_type', name: 'a\r\nBcc: x' }, 'name'],
    ['an unknown field', { kind: 'new_type', minuts: 5 }, 'minuts'],
  ])('400 for %s', async (_, alert, text) => {
    const { id } = await bench.ada.createEndpoint();
    const body = { name: 'x', channel: { type: 'slack', url: 'https://example.com/x' }, ...alert };
    const { error } = await bench.ada.json<{ error: string }>(400, 'POST', `/api/endpoints/${id}/alerts`, body);
    expect(error).toContain(text);
  });

  test('403 for the 21st, also when they come at once', async () => {
    const { id } = await bench.ada.createEndpoint();
    const body = { name: 'x', kind: 'new_type', channel: { type: 'slack', url: 'https://example.com/x' } };
    const statuses = await Promise.all(
      Array.from(
        { length: 25 },
        async () => (await bench.ada.call('POST', `/api/endpoints/${id}/alerts`, body)).status,
      ),
    );
    expect(statuses.toSorted()).toEqual([...Array(20).fill(201), ...Array(5).fill(403)]);
  });
});

describe('POST /api/endpoints/{id}/alerts/{aid}/test', () => {
  const testOf = async (given: object, of = bench) => {
    const { id } = await of.ada.createEndpoint('Shop');
    const alert = await of.create(id, { kind: 'new_type', ...given });
    return () => of.ada.call('POST', `/api/endpoints/${id}/alerts/${alert.id}/test`);
  };

  test.each([200, 404, 500])('says what the receiver answered: %d', async status => {
    const target = openReceiver(() => new Response('', { status }));
    const answer = await (await testOf({ channel: { type: 'webhook', url: target.origin } }))();
    expect([answer.status, await answer.json()]).toEqual([
      200,
      { ok: status === 200, status, error: status === 200 ? null : `the receiver answered ${status}` },
    ]);
    expect(target.received.map(({ text }) => (JSON.parse(text) as { type: string }).type)).toEqual(['alert.test']);
    target.close();
  });

  test('says that a destination is not allowed', async () => {
    const answer = await (await testOf({ channel: { type: 'slack', url: 'http://169.254.169.254/latest' } }))();
    expect(await answer.json()).toEqual({ ok: false, status: null, error: 'the destination is not a public address' });
  });

  test('email goes through the mail server of the operator, ten times a minute', async () => {
    const mailing = await openAlerts({
      HOOKTAPE_SMTP_URL: `smtp://127.0.0.1:${mailServer.port}`,
      HOOKTAPE_SMTP_FROM: 'Hooktape <alerts@example.com>',
    });
    const send = await testOf({ name: 'Quiet', channel: { type: 'email', to: 'Ops@example.com' } }, mailing);
    const answers = [];
    for (let i = 0; i < 11; i++) answers.push(await send());
    expect(answers.map(({ status }) => status)).toEqual([...Array(10).fill(200), 429]);
    expect(await answers[0]?.json()).toEqual({ ok: true, status: 250, error: null });
    expect(mailServer.received).toHaveLength(10);
    expect(mailServer.received[0]).toMatchObject({ from: 'alerts@example.com', to: ['ops@example.com'] });
    expect(mailServer.received[0]?.text).toContain('Subject: [Hooktape] Test: Quiet (Shop)');
    await mailing.close();
  });
});
