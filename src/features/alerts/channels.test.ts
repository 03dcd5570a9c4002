/* What receivers get, and where nothing may be sent. */

import { afterAll, describe, expect, test } from 'bun:test';
import { Webhook } from 'standardwebhooks';
import { systemClock } from '../../core/clock.ts';
import { parseAllowEntry } from '../../core/network/allow-list.ts';
import { createMailer } from '../../net/mail.ts';
import { createOutbound } from '../../net/outbound.ts';
import { openMailServer, openReceiver } from '../../testing/alerts.ts';
import { notPublic } from '../../testing/not-public.ts';
import { type Channel, createAlertSender } from './channels.ts';
import type { Message } from './message.ts';

const { now } = systemClock;
const outbound = (allow: string[] = []) =>
  createOutbound({
    allow: allow.flatMap(text => parseAllowEntry(text) ?? []),
    allowLoopback: false,
    clock: systemClock,
  });
const send = createAlertSender({ outbound: outbound(['127.0.0.1']), mailer: undefined, now });
const target = openReceiver();
const mailServer = await openMailServer();
afterAll(async () => {
  await target.close();
  await mailServer.close();
});

const channel = (type: Channel['type'], more: Partial<Channel> = {}): Channel => ({
  type,
  url: `${target.origin}/${type}`,
  to: null,
  secret: null,
  ...more,
});
const message: Message = {
  id: 'msg_01m2ab3cd4ef5gh6jk7mn8pq9r',
  type: 'alert.fired',
  at: now(),
  reason: '12 new event types',
  items: ['order.paid (stripe)', '<!channel> <script>alert(1)</script> @everyone *bold* [x](https://evil.example)'],
  count: 12,
  held: 0,
  alert: { id: 'alr_1', name: 'New & <b>hot</b>', kind: 'new_type' },
  endpoint: { id: 'ep_1', name: 'Größe 😀' },
  link: 'https://hooks.example.com/app/endpoints/ep_1',
};
const last = () => {
  const one = target.received.at(-1);
  if (!one) throw new Error('nothing was received');
  return one;
};

test('slack: a text in which nothing is markup', async () => {
  expect(await send(channel('slack'), message)).toMatchObject({ ok: true, status: 200, error: null });
  const { path, headers, text } = last();
  expect([path, headers['content-type']]).toEqual(['/slack', 'application/json']);
  const body = JSON.parse(text) as { text: string; mrkdwn: boolean };
  expect(body.mrkdwn).toBe(false);
  expect(body.text.split('\n')).toEqual([
    'Alert: New &amp; &lt;b&gt;hot&lt;/b&gt; (Größe 😀)',
    '12 new event types',
    '- order.paid (stripe)',
    '- &lt;!channel&gt; &lt;script&gt;alert(1)&lt;/script&gt; @everyone *bold* [x](https://evil.example)',
    '- and 10 more',
    'https://hooks.example.com/app/endpoints/ep_1',
  ]);
});

test('discord: nobody is mentioned, and nothing is markup', async () => {
  expect(await send(channel('discord'), { ...message, items: [...message.items, '\\'.repeat(5000)] })).toMatchObject({
    ok: true,
  });
  const body = JSON.parse(last().text) as { content: string; allowed_mentions: object };
  expect(body.allowed_mentions).toEqual({ parse: [] });
  expect(body.content).toContain('\\<\\!channel'.replace('\\!', '!'));
  expect(body.content).toContain('\\*bold\\* \\[x\\]\\(https\\://evil.example\\)');
  expect(body.content).toEndWith(`\n<${message.link}>`);
  expect(body.content.length).toBeLessThanOrEqual(2000);
});

test('ntfy: text, a title in ASCII, a token', async () => {
  expect(await send(channel('ntfy', { secret: 'tk_secret' }), message)).toMatchObject({ ok: true });
  const { headers, text } = last();
  expect(headers).toMatchObject({
    authorization: 'Bearer tk_secret',
    click: message.link,
    tags: 'warning',
    title: `=?UTF-8?B?${Buffer.from('Alert: New & <b>hot</b> (Größe 😀)').toString('base64')}?=`,
  });
  expect(headers['content-type']).toStartWith('text/plain');
  expect(text.split('\n')[0]).toBe('12 new event types');
  // What looks encoded would be decoded there, line breaks and all.
  const name = '=?UTF-8?B?DQpYLUV2aWw6IDE=?=';
  await send(channel('ntfy'), {
    ...message,
    alert: { ...message.alert, name },
    endpoint: { id: 'ep_1', name: 'Shop' },
  });
  expect(last().headers['title']).toBe(`=?UTF-8?B?${Buffer.from(`Alert: ${name} (Shop)`).toString('base64')}?=`);
});

test('webhook: the official library of Standard Webhooks takes it, and not with another secret', async () => {
  const secret = `whsec_${Buffer.alloc(32, 5).toString('base64')}`;
  expect(await send(channel('webhook', { secret }), message)).toMatchObject({ ok: true });
  const { headers, text } = last();
  expect(headers['webhook-id']).toBe(message.id);
  expect(new Webhook(secret).verify(text, headers)).toMatchObject({
    type: 'alert.fired',
    timestamp: new Date(message.at).toISOString(),
    data: { alert: message.alert, endpoint: message.endpoint, count: 12 },
  });
  expect(() => new Webhook(`whsec_${Buffer.alloc(32, 6).toString('base64')}`).verify(text, headers)).toThrow();
  expect(() => new Webhook(secret).verify(`${text} `, headers)).toThrow();
});

test('email', async () => {
  const mailer = createMailer({ url: `smtp://127.0.0.1:${mailServer.port}`, from: 'hooktape@example.com' });
  const sendMail = createAlertSender({ outbound: outbound(), mailer, now });
  const to = channel('email', { url: null, to: 'ops@example.com' });
  expect(await sendMail(to, message)).toEqual({ ok: true, status: 250, error: null });
  expect(mailServer.received).toMatchObject([{ to: ['ops@example.com'] }]);
  expect(mailServer.received[0]?.text).toContain(`Message-ID: <${message.id}@example.com>`);
});

test('characters that reorder text or are invisible are taken out', async () => {
  await send(channel('ntfy'), { ...message, items: ['a\u202eb\u0000c\r\nX: y', 'x'.repeat(10_000)] });
  const lines = last().text.split('\n');
  expect(lines[1]).toBe('- a\ufffdb\ufffdc\ufffd\ufffdX: y');
  expect(lines[2]).toHaveLength(203);
});

describe('a receiver that fails is a value', () => {
  test.each([
    [404, true],
    [410, true],
    [408, false],
    [429, false],
    [500, false],
    [302, true],
  ])('status %d', async (status, isFinal) => {
    const failing = openReceiver(
      () =>
        new Response('the body says tk_secret', { status, headers: { 'retry-after': '7', location: target.origin } }),
    );
    const before = target.received.length;
    const result = await send(channel('ntfy', { url: failing.origin, secret: 'tk_secret' }), message);
    expect(result).toEqual({
      ok: false,
      status,
      error: `the receiver answered ${status}`,
      isFinal,
      retryAfterMs: 7000,
    });
    // No redirect was followed.
    expect(target.received).toHaveLength(before);
    await failing.close();
  });

  test('nobody listens', async () => {
    const gone = openReceiver();
    await gone.close();
    const result = await send(channel('slack', { url: gone.origin }), message);
    expect(result).toMatchObject({ ok: false, status: null, error: expect.any(String) });
  });

  test('email that the operator has not set up', async () => {
    const result = await send(channel('email', { to: 'a@example.com' }), message);
    expect(result).toMatchObject({ ok: false, error: expect.stringContaining('HOOKTAPE_SMTP_URL') });
  });
});

describe.each(['slack', 'discord', 'ntfy', 'webhook'] as const)('%s is sent to no address that is not public', type => {
  const { port } = new URL(target.origin);
  const guarded = createAlertSender({ outbound: outbound(), mailer: undefined, now });
  test.each(notPublic)('%s', async host => {
    const before = target.received.length;
    const secret = type === 'webhook' ? `whsec_${Buffer.alloc(32, 5).toString('base64')}` : null;
    const result = await guarded(channel(type, { url: `http://${host}:${port}/`, secret }), message);
    expect(result).toMatchObject({ ok: false, status: null, error: expect.any(String) });
    expect(target.received).toHaveLength(before);
  });
});
