/* Which alerts there may be, and what people see of them. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type AlertBench, openAlerts, openMailServer, openReceiver } from '../../testing/alerts.ts';
import { openOAuthHarness } from '../../testing/oauth-harness.ts';

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
      lastErrorCode: null,
      lastErrorStatus: null,
      lastErrorIsFinal: false,
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
    ['where for new_type', { kind: 'new_type', where: 'type:a' }, 'where'],
    ['a wrong filter', { kind: 'silence', minutes: 1, where: 'size>' }, 'where'],
    ['where for forward_stuck', { kind: 'forward_stuck', where: 'type:a' }, 'where'],
    ['an unknown kind', { kind: 'storage' }, 'kind'],
    ['minutes of 0', { kind: 'silence', minutes: 0 }, 'minutes'],
    ['no URL', { kind: 'new_type', channel: { type: 'slack' } }, 'channel.url'],
    [
      'a URL with another scheme than http',
      { kind: 'new_type', channel: { type: 'slack', url: 'ftp://example.com' } },
      'url',
    ],
    ['a URL with a password', { kind: 'new_type', channel: { type: 'slack', url: 'https://a:b@c.d/' } }, 'password'],
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

  test.each([
    ['silence', { minutes: 2, count: null, where: 'type:a' }],
    ['bad_signatures', { minutes: 2, count: 4, where: 'type:a' }],
    ['new_type', { minutes: null, count: null, where: null }],
    ['schema_change', { minutes: null, count: null, where: 'type:a' }],
    ['forward_stuck', { minutes: 2, count: null, where: null }],
  ])('%s takes minutes and count, and shows what it does not use as null', async (kind, shown) => {
    const { id } = await bench.ada.createEndpoint();
    const channel = { type: 'webhook', url: 'https://example.com/x' };
    const created = await bench.create(id, { kind, minutes: 2, count: 4, where: shown.where, channel });
    expect(created).toMatchObject(shown);
    const path = `/api/endpoints/${id}/alerts/${created.id}`;
    expect(await bench.ada.json(200, 'PATCH', path, { minutes: 2, count: 4 })).toMatchObject(shown);
  });

  test('optional fields may be null', async () => {
    const { id } = await bench.ada.createEndpoint();
    const none = { where: null, minutes: null, count: null, enabled: null };
    const channel = { type: 'webhook', url: 'https://example.com/x', to: null, secret: null };
    expect(await bench.create(id, { kind: 'forward_stuck', ...none, channel })).toMatchObject({
      minutes: 5,
      enabled: true,
    });
  });

  test('shows a read-only key no URL that sends', async () => {
    const { id } = await bench.ada.createEndpoint();
    const url = 'https://hooks.example.com/services/T0/B0/very-secret-path';
    await bench.create(id, { kind: 'new_type', channel: { type: 'slack', url } });
    const { key } = await bench.ada.json<{ key: string }>(201, 'POST', '/api/keys', { name: 'r', readOnly: true });
    const read = await bench.server.fetch(`/api/endpoints/${id}/alerts`, {
      headers: { authorization: `Bearer ${key}` },
    });
    expect(await read.json()).toMatchObject({ alerts: [{ channel: { url: 'https://hooks.example.com/[set]' } }] });
    const own = await bench.ada.json(200, 'GET', `/api/endpoints/${id}/alerts`);
    expect(own).toMatchObject({ alerts: [{ channel: { url } }] });
  });

  test('the token of one ntfy server is not sent to another', async () => {
    const [first, second] = [openReceiver(), openReceiver()];
    const { id } = await bench.ada.createEndpoint();
    const channel = { type: 'ntfy', url: `${first.origin}/topic`, secret: 'tk_of_the_first' };
    const alert = await bench.create(id, { kind: 'new_type', channel });
    const one = `/api/endpoints/${id}/alerts/${alert.id}`;
    const sentTo = async (url: string, { received }: typeof first) => {
      await bench.ada.json(200, 'PATCH', one, { channel: { type: 'ntfy', url, secret: null } });
      await bench.ada.json(200, 'POST', `${one}/test`);
      return received.at(-1)?.headers['authorization'];
    };
    expect(await sentTo(`${first.origin}/other`, first)).toBe('Bearer tk_of_the_first');
    expect(await sentTo(`${second.origin}/topic`, second)).toBeUndefined();
    expect(await sentTo(`${first.origin}/topic`, first)).toBeUndefined();
    await bench.ada.json(200, 'PATCH', one, { channel });
    expect(await sentTo(channel.url, first)).toBe('Bearer tk_of_the_first');
    await bench.ada.json(200, 'PATCH', one, { channel: { ...channel, secret: '' } });
    expect(await sentTo(channel.url, first)).toBeUndefined();
    for (const one of [first, second]) await one.close();
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

describe('GET /api/endpoints/{id}/alerts', () => {
  test.each([false, true])('says whether the server can send email: %p', async canEmail => {
    const other = await openAlerts(canEmail ? { HOOKTAPE_SMTP_URL: `smtp://127.0.0.1:${mailServer.port}` } : {});
    const { id } = await other.ada.createEndpoint();
    expect(await other.ada.json<object>(200, 'GET', `/api/endpoints/${id}/alerts`)).toEqual({ alerts: [], canEmail });
    await other.close();
  });

  test('an app sees the endpoint without its alerts', async () => {
    const harness = await openOAuthHarness();
    const ada = await harness.createAccount('ada@example.com');
    const { id } = await ada.createEndpoint();
    const { access_token } = await harness.connect(await harness.register(), ada);
    const list = async (token: string): Promise<unknown[]> => {
      const response = await harness.use(token, '/api/endpoints');
      return ((await response.json()) as { endpoints: { alerts: unknown }[] }).endpoints.map(one => one.alerts);
    };
    expect(await list(access_token)).toEqual([null]);
    expect(await list(ada.key)).toEqual([{ enabled: 0, firing: 0 }]);
    const made = await harness.use(access_token, '/api/endpoints', { method: 'POST', body: '{"name":"By an app"}' });
    expect(await made.json()).toMatchObject({ name: 'By an app', alerts: null });
    expect((await ada.json(200, 'GET', `/api/endpoints/${id}`))['alerts']).toEqual({ enabled: 0, firing: 0 });
    await harness.close();
  });
});

describe('POST /api/endpoints/{id}/alerts/{aid}/test', () => {
  const testOf = async (given: object, of = bench) => {
    const { id } = await of.ada.createEndpoint('Shop');
    const alert = await of.create(id, { kind: 'new_type', ...given });
    return () => of.ada.call('POST', `/api/endpoints/${id}/alerts/${alert.id}/test`);
  };

  test.each([200, 404, 500])('reports the answer of the receiver: %d', async status => {
    const target = openReceiver(() => new Response('', { status }));
    const answer = await (await testOf({ channel: { type: 'webhook', url: target.origin } }))();
    const [error, errorCode] = status === 200 ? [null, null] : [`the receiver answered ${status}`, 'rejected'];
    expect(answer.status).toBe(200);
    expect(await answer.json()).toEqual({ ok: status === 200, status, error, errorCode });
    expect(target.received.map(({ text }) => (JSON.parse(text) as { type: string }).type)).toEqual(['alert.test']);
    await target.close();
  });

  test('says that a destination is not allowed', async () => {
    const answer = await (await testOf({ channel: { type: 'slack', url: 'http://169.254.169.254/latest' } }))();
    expect(await answer.json()).toEqual({
      ok: false,
      status: null,
      error: 'the destination is not a public address',
      errorCode: 'not_public',
    });
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
    expect(await answers[0]?.json()).toEqual({ ok: true, status: 250, error: null, errorCode: null });
    expect(mailServer.received).toHaveLength(10);
    expect(mailServer.received[0]).toMatchObject({ from: 'alerts@example.com', to: ['ops@example.com'] });
    expect(mailServer.received[0]?.text).toContain('Subject: [Hooktape] Test: Quiet (Shop)');
    await mailing.close();
  });

  test('a team sends 30 emails an hour: notifications beyond wait, and then arrive once', async () => {
    const mailing = await openAlerts({
      HOOKTAPE_SMTP_URL: `smtp://127.0.0.1:${mailServer.port}`,
      HOOKTAPE_SMTP_FROM: 'Hooktape <alerts@example.com>',
    });
    const before = mailServer.received.length;
    const channel = { type: 'email', to: 'somebody@example.com' };
    const send = await testOf({ name: 'Quiet', channel }, mailing);
    const statuses: number[] = [];
    for (let minute = 0; minute < 4; minute++) {
      for (let i = 0; i < 8; i++) statuses.push((await send()).status);
      mailing.clock.advance(60_000);
    }
    expect(statuses).toEqual([...Array(30).fill(200), 429, 429]);
    const { id } = await mailing.ada.createEndpoint();
    await mailing.create(id, { kind: 'silence', minutes: 1, channel });
    await mailing.pass(5 * 60_000);
    expect(await mailing.alert(id)).toMatchObject({
      firing: true,
      lastSentAt: null,
      lastError: expect.stringMatching(/^too many emails/),
    });
    expect(mailServer.received).toHaveLength(before + 30);
    await mailing.pass(60 * 60_000);
    expect(await mailing.alert(id)).toMatchObject({ lastError: null, lastSentAt: expect.any(Number) });
    expect(mailServer.received).toHaveLength(before + 31);
    await mailing.close();
  }, 120_000);
});
