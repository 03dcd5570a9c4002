/* Secrets that may not sign, events that a secret may not sign, and what is shown of a signature. See signing-oracle.test.ts. */
import { afterAll, afterEach, describe, expect, test } from 'bun:test';
import { createHmac } from 'node:crypto';
import { closePeers, type Peer } from '../../testing/raw-destination.ts';
import { body, openSigningHarness, secret } from '../../testing/signing-harness.ts';

const fixture = await openSigningHarness();
const { ada, addSecret, allow, deliver, endpoint, event, harness, refused, replay, replaysOf, secretId, stripeHeader } =
  fixture;
afterEach(closePeers);
afterAll(() => harness.close());

let to: Peer;
const open = async (...answer: Parameters<typeof fixture.open>): Promise<void> => {
  to = await fixture.open(...answer);
};
describe('another secret or event', () => {
  test('a secret of another endpoint', async () => {
    await open();
    const other = await ada.createEndpoint('other');
    const id = await addSecret(other, secret);
    await allow(other, id);
    await refused(404, { sign: { mode: 'fresh', secretId: id } });
  });

  test('a secret that nobody allowed to sign, or that may not any more', async () => {
    await open();
    const own = await ada.createEndpoint('silent');
    const id = await addSecret(own, secret);
    const at = await deliver(own);
    const sign = { sign: { mode: 'fresh', secretId: id } };
    expect(await refused(403, sign, { id: at })).toContain('may not sign');
    await refused(403, { sign: { mode: 'fresh' } }, { id: at });
    await allow(own, id);
    await allow(own, id, { maySign: false });
    await refused(403, sign, { id: at });
  });

  test('an event that is not valid', async () => {
    await open();
    const late = stripeHeader(secret, harness.clock.now() - 400_000);
    for (const signature of ['t=1,v1=00', stripeHeader('another secret'), late, '']) {
      const id = await deliver(endpoint, signature);
      expect(await refused(403, {}, { id })).toContain('valid');
      await refused(403, { sign: { mode: 'fresh' } }, { id });
      await refused(403, { dryRun: true }, { id });
    }
  });

  test('an event that is valid with another secret of the endpoint', async () => {
    await open();
    const own = await ada.createEndpoint('two');
    const [known, target] = [await addSecret(own, 'known to an attacker'), await addSecret(own, secret)];
    for (const id of [known, target]) await allow(own, id);
    const forged = await deliver(own, stripeHeader('known to an attacker'));
    await refused(403, { sign: { mode: 'fresh', secretId: target } }, { id: forged });
  });

  test('a secret that only a handshake delivered', async () => {
    await open();
    const own = await ada.createEndpoint('learned');
    const token = 'secret_of_a_handshake';
    await harness.server.deliver(own, JSON.stringify({ verification_token: token }));
    const digest = createHmac('sha256', token).update(body).digest('hex');
    const id = await harness.server.deliver(own, body, { headers: { 'x-notion-signature': `sha256=${digest}` } });
    const { secrets } = await ada.json<{ secrets: { id: string; confirmed: boolean }[] }>(
      200,
      'GET',
      `/api/endpoints/${own.id}/secrets`,
    );
    expect(secrets).toMatchObject([{ confirmed: false }]);
    await allow(own, secrets[0]?.id ?? '');
    const sign = { sign: { mode: 'fresh', secretId: secrets[0]?.id } };
    expect(await refused(403, sign, { id })).toContain('not confirmed');
    await ada.json(200, 'POST', `/api/endpoints/${own.id}/secrets/${secrets[0]?.id}/confirm`);
    expect((await replay(sign, { id })).status).toBe(200);
  });

  test('a signature that is not valid, beside one that is', async () => {
    const own = await ada.createEndpoint('adyen');
    const key = '0123456789abcdef'.repeat(4);
    const path = `/api/endpoints/${own.id}/secrets`;
    const { id } = await ada.json<{ id: string }>(201, 'POST', path, { platform: 'adyen', secret: key });
    await allow(own, id);
    const macOf = (text: string): string => createHmac('sha256', Buffer.from(key, 'hex')).update(text).digest('base64');
    const item = {
      pspReference: 'P1',
      eventCode: 'REPORT_AVAILABLE',
      success: 'true',
      reason: 'added by somebody else',
    };
    const hmacSignature = macOf('P1::::::REPORT_AVAILABLE:true');
    const items = [{ NotificationRequestItem: { ...item, additionalData: { hmacSignature } } }];
    const text = JSON.stringify({
      live: 'true',
      notificationItems: items,
      more: 'the items’ signatures do not cover this',
    });
    const at = await harness.server.deliver(own, text, { headers: { HmacSignature: 'AAAA' } });
    expect((await ada.json(200, 'GET', `/api/events/${at}`))['signatureValid']).toBe(true);
    await open();
    expect((await replay({ sign: { mode: 'fresh', secretId: id } }, { id: at })).status).toBe(200);
    expect(to.received()).toContain('HmacSignature: AAAA');
    expect(to.received()).not.toContain(macOf(text));
  });

  test('an event whose signature is not stored, so that it cannot be checked again', async () => {
    await open();
    const own = await ada.createEndpoint('teams');
    const key = Buffer.from('a stored secret').toString('base64');
    const path = `/api/endpoints/${own.id}/secrets`;
    const { id } = await ada.json<{ id: string }>(201, 'POST', path, { platform: 'microsoft-teams', secret: key });
    await allow(own, id);
    const mac = createHmac('sha256', Buffer.from(key, 'base64')).update(body).digest('base64');
    const at = await harness.server.deliver(own, body, { headers: { authorization: `HMAC ${mac}` } });
    expect((await ada.json(200, 'GET', `/api/events/${at}`))['signatureValid']).toBe(true);
    await refused(403, { sign: { mode: 'fresh', secretId: id } }, { id: at });
  });
});

describe('a signature that was made with a stored secret is not shown', () => {
  test('in a dry run, which sends and records nothing', async () => {
    await open();
    const before = await replaysOf(event);
    for (const mode of ['fresh', 'tamper']) {
      const answer = await replay({ sign: { mode, secretId }, dryRun: true });
      const text = await answer.text();
      expect(JSON.parse(text)).toMatchObject({
        dryRun: true,
        headers: expect.arrayContaining([['stripe-signature', '[signed]']]),
        body,
      });
      expect(text).not.toContain('v1=');
    }
    expect([to.connects(), await replaysOf(event)]).toEqual([0, before]);
  });

  test('when the destination sends it back', async () => {
    await open(socket => {
      const signature = /stripe-signature: (.*)\r\n/i.exec(to.received())?.[1] ?? '';
      const digest = signature.split('v1=')[1] ?? '';
      const text = JSON.stringify({ signature, digest });
      socket.end(`HTTP/1.1 200 OK\r\nX-Echo: ${signature}\r\nContent-Length: ${text.length}\r\n\r\n${text}`);
    });
    const text = await (await replay({})).text();
    const [attempt] = await replaysOf(event);
    const digest = /v1=([0-9a-f]{64})/.exec(to.received())?.[1] ?? 'none';
    expect(text).toContain('[signed]');
    expect(text + JSON.stringify(attempt)).not.toContain(digest);
  });
});
