/* Signatures of captured events: as they came, made anew, and why a handler refuses an old one. */
import { describe, expect, test } from 'bun:test';
import { createHmac } from 'node:crypto';
import Stripe from 'stripe';
import { startListener } from '../../testing/command.ts';
import { response, useListenHarness } from '../../testing/listen-harness.ts';
import { eventually } from '../../testing/poll.ts';

const secret = 'whsec_of_the_developer';
const body = '{"id":"evt_1","object":"event","type":"invoice.paid"}';

const harness = await useListenHarness();

const deliverSigned = (ageS: number): Promise<string> => {
  const at = Math.floor(Date.now() / 1000) - ageS;
  const signature = createHmac('sha256', secret).update(`${at}.${body}`).digest('hex');
  return harness.deliver(body, {
    headers: { 'content-type': 'application/json', 'Stripe-Signature': `t=${at},v1=${signature}` },
  });
};
/** Answers like a handler that checks with Stripe's library. */
async function openHandler() {
  const problems: string[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      try {
        const given = request.headers.get('stripe-signature') ?? '';
        await Stripe.webhooks.constructEventAsync(await request.text(), given, secret);
        return new Response('thanks');
      } catch (error) {
        problems.push((error as Error).message);
        return new Response('no', { status: 400 });
      }
    },
  });
  return { url: `http://127.0.0.1:${server.port}/`, problems, [Symbol.dispose]: () => void server.stop(true) };
}

describe('a handler that checks signatures', () => {
  test('refuses an old one, which is explained', async () => {
    using handler = await openHandler();
    const listener = await harness.listen('--to', handler.url, '--retry', '0');
    await deliverSigned(3 * 3600 + 60);
    await eventually(() => listener.said.stderr.includes('--resign'));
    expect(listener.said.stderr).toContain('  signed 3 h ago, Stripe allows 5 min: try --resign\n');
  });

  test('refuses an edited replay from the server that is not signed anew, which is explained', async () => {
    using handler = await openHandler();
    const listener = await harness.listen('--to', handler.url, '--as', 'edits');
    const id = await deliverSigned(0);
    await eventually(() => listener.said.stdout.includes('200 in'));
    const replay = (edit: object) =>
      harness.client.ada.json(200, 'POST', `/api/events/${id}/replay`, { listener: 'edits', edit });
    await replay({ headers: [['Stripe-Signature', 't=1,v1=00']] });
    await eventually(() => handler.problems.length === 1);
    await replay({ set: { type: 'invoice.voided' } });
    const hint = '  the signature no longer fits: try --resign --secret-env N\n';
    await eventually(() => listener.said.stderr.includes(hint));
    expect([handler.problems.length, listener.said.stderr.split(hint).length]).toEqual([2, 2]);
  });

  test('takes a young one as captured, and an old one with --resign', async () => {
    using handler = await openHandler();
    const first = await harness.listen('--to', handler.url);
    await deliverSigned(10);
    await eventually(() => first.said.stdout.includes('200 in'));
    await first.stop();
    const args = ['--to', handler.url, '--resign', '--secret-env', 'SECRET'];
    const next = harness.start(args, { env: { SECRET: secret } });
    await eventually(() => next.said.stderr.includes('Connected'));
    await deliverSigned(3600);
    await eventually(() => next.said.stdout.includes('200 in'));
    expect(handler.problems).toEqual([]);
    expect(`${next.said.stdout}${next.said.stderr}`).not.toContain(secret);
  });

  test('gets events that cannot be signed as captured, with a notice', async () => {
    const args = ['--to', harness.target().origin, '--resign', '--secret-env', 'SECRET'];
    const listener = harness.start(args, { env: { SECRET: secret } });
    await eventually(() => listener.said.stderr.includes('Connected'));
    const id = await harness.deliver('{"a":1}');
    await harness.arrived(1);
    await eventually(() => listener.said.stderr.includes(`${id} is sent as captured: cannot_sign:`));
    expect(harness.bodies()).toEqual(['{"a":1}']);
  });

  test('may refuse for another reason', async () => {
    harness.answerWith(() => response('400 No', 'bad\u001b[2J'));
    const listener = await harness.listen('--to', harness.target().origin, '--retry', '0');
    await deliverSigned(10);
    await eventually(() => listener.said.stderr.includes('Holding'));
    expect(listener.said.stderr).not.toContain('--resign');
    expect(listener.said.stderr).toContain('  bad\\u001b[2J\n');
  });
});

test('a secret that the target echoes is not reported to the server', async () => {
  harness.answerWith(() => response('200 OK', `got ${secret} and aHVudGVyMjpwdw==`));
  const words = ['--resign', '--secret-env', 'SECRET', '--header', 'Authorization: Basic aHVudGVyMjpwdw=='];
  const env = { ...harness.client.env, SECRET: secret };
  const args = [harness.inbox().id, '--as', 'me', '--to', harness.target().origin, ...words];
  const listener = startListener(env, args);
  await eventually(() => listener.said.stderr.includes('Connected'));
  const id = await deliverSigned(10);
  await harness.arrived(1);
  await listener.stop();
  const { replays } = await harness.client.json<{ replays: { response: { body: string } }[] }>('show', id);
  expect(replays[0]?.response.body).toBe('got [redacted] and [redacted]');
});
