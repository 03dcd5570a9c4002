import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { platforms } from '../../platforms/platforms.ts';
import { holdClock } from '../../testing/clock.ts';
import { openTestServer, type TestAccount, type TestServer } from '../../testing/test-server.ts';
import type { AnswerPreview } from '../answers/model.ts';
import type { EventDetail, EventPage } from '../events/model.ts';
import type { Secret } from '../secrets/model.ts';
import type { PlatformGuide, TestEvent } from './model.ts';

const clock = holdClock();
let server: TestServer;
let ada: TestAccount;
let bob: TestAccount;

beforeAll(async () => {
  server = await openTestServer({ clock, env: { HOOKTAPE_RATE_LIMIT: '100000' } });
  ada = await server.createAccount('ada@example.com');
  bob = await server.createAccount('bob@example.com');
});
afterAll(() => server.close());

type Endpoint = { id: string; url: string };
const send = (endpoint: Endpoint, body: object): Promise<TestEvent> =>
  ada.json<TestEvent>(201, 'POST', `/api/endpoints/${endpoint.id}/test-events`, body);
const refused = async (endpoint: Endpoint, body: object): Promise<string> =>
  (await ada.json<{ error: string }>(400, 'POST', `/api/endpoints/${endpoint.id}/test-events`, body)).error;
const detail = (id: string): Promise<EventDetail> => ada.json<EventDetail>(200, 'GET', `/api/events/${id}`);
const secretsOf = async (endpoint: Endpoint): Promise<Secret[]> =>
  (await ada.json<{ secrets: Secret[] }>(200, 'GET', `/api/endpoints/${endpoint.id}/secrets`)).secrets;
const guides = async (): Promise<PlatformGuide[]> =>
  (await ada.json<{ platforms: PlatformGuide[] }>(200, 'GET', '/api/platforms')).platforms;
const newEndpoint = (): Promise<Endpoint> => ada.createEndpoint();

describe('POST /api/endpoints/{id}/test-events', () => {
  test('201: the event is stored like a delivery, recognised, and valid in list and detail', async () => {
    const endpoint = await newEndpoint();
    const sent = await send(endpoint, { platform: 'Stripe', sample: 'invoice.paid' });
    expect(sent).toEqual({
      eventId: sent.eventId,
      platform: 'stripe',
      sample: 'invoice.paid',
      signed: true,
      secretId: sent.secretId,
    });
    const event = await detail(sent.eventId);
    expect(event).toMatchObject({
      platform: 'stripe',
      eventType: 'invoice.paid',
      signature: { verdict: 'valid', reason: null, proves: 'payload' },
      receivedAt: clock.now(),
    });
    expect(event.rawHeaders.at(0)).toEqual(['Host', new URL(endpoint.url).host]);
    expect(event.headers['content-length']).toBe(String(event.size));
    expect(event.headers['x-hooktape-test']).toBe('1');
    expect(event.sourceIp).not.toBe('');
    const { events } = await ada.json<{ events: { signatureValid: boolean }[] }>(
      200,
      'GET',
      `/api/events?endpointId=${endpoint.id}`,
    );
    expect(events).toMatchObject([{ id: sent.eventId, signatureValid: true }]);
  });

  test('every platform’s first sample gets the verdict that its guide promises', async () => {
    const endpoint = await newEndpoint();
    const all = await guides();
    expect(all.map(({ name }) => name).sort()).toEqual(platforms.map(({ name }) => name).sort());
    const verdictOf = async ({ name, signing }: PlatformGuide) => {
      const { eventId, signed } = await send(endpoint, { platform: name });
      const { platform, signature } = await detail(eventId);
      expect({ name, platform, signed, verdict: signature?.verdict ?? null }).toEqual({
        name,
        platform: name,
        signed: signing === 'signed',
        verdict: signing === 'signed' ? 'valid' : null,
      });
    };
    await Promise.all(all.filter(({ samples }) => samples.length > 0).map(verdictOf));
    const ofTests = await secretsOf(endpoint);
    expect(ofTests.length).toBe(all.filter(({ signing }) => signing === 'signed').length);
    // They take no place of secrets that people register.
    for (let n = 0; n < 20; n++)
      await ada.json(201, 'POST', `/api/endpoints/${endpoint.id}/secrets`, { secret: `a secret of ours ${n}` });
  }, 120_000);

  test('two samples are two deliveries, signed with one test secret, which can be deleted', async () => {
    const endpoint = await newEndpoint();
    const one = await send(endpoint, { platform: 'github', sample: 'push' });
    const [other, third] = await Promise.all([
      send(endpoint, { platform: 'github', sample: 'push' }),
      send(endpoint, { platform: 'slack' }),
    ]);
    expect(other?.secretId).toBe(one.secretId as string);
    expect(third?.secretId).not.toBe(one.secretId);
    const keys = await Promise.all([one, other].map(async sent => (await detail(sent?.eventId ?? '')).delivery.key));
    expect(keys[0]).not.toBe(keys[1]);
    const secrets = await secretsOf(endpoint);
    expect(secrets.map(({ platform, test, confirmed }) => [platform, test, confirmed]).sort()).toEqual([
      ['github', true, true],
      ['slack', true, true],
    ]);
    await ada.json(200, 'DELETE', `/api/endpoints/${endpoint.id}/secrets/${one.secretId}`);
    expect((await detail(one.eventId)).signature).toMatchObject({ verdict: 'unchecked', reason: 'no_secret' });
    const again = await send(endpoint, { platform: 'github' });
    expect(again.secretId).not.toBe(one.secretId);
    expect((await detail(again.eventId)).signature?.verdict).toBe('valid');
  });

  test('the first samples of a platform that come at once make one test secret', async () => {
    const endpoint = await newEndpoint();
    const sent = await Promise.all(Array.from({ length: 5 }, () => send(endpoint, { platform: 'linear' })));
    expect(new Set(sent.map(({ secretId }) => secretId)).size).toBe(1);
    for (const { eventId } of sent) expect((await detail(eventId)).signature?.verdict).toBe('valid');
  });

  test('a registered secret never signs: only one in the request, which is not stored', async () => {
    const endpoint = await newEndpoint();
    const registered = { platform: 'github', secret: 'the secret of production' };
    await ada.json(201, 'POST', `/api/endpoints/${endpoint.id}/secrets`, registered);
    const unsigned = await send(endpoint, { platform: 'github' });
    const [secret] = (await secretsOf(endpoint)).filter(({ test }) => test);
    expect(secret?.id).toBe(unsigned.secretId as string);
    await ada.json(200, 'DELETE', `/api/endpoints/${endpoint.id}/secrets/${secret?.id}`);
    expect((await detail(unsigned.eventId)).signature).toMatchObject({ verdict: 'invalid' });

    const given = await send(endpoint, { ...registered });
    expect(given).toMatchObject({ signed: true, secretId: null });
    expect((await detail(given.eventId)).signature?.verdict).toBe('valid');
    const stranger = await send(endpoint, { platform: 'github', secret: 'another secret' });
    expect(await secretsOf(endpoint)).toHaveLength(1);
    expect((await detail(stranger.eventId)).signature).toMatchObject({ verdict: 'invalid' });
  });

  test('a test secret does not decide about real deliveries, their platform and their handshakes', async () => {
    const endpoint = await newEndpoint();
    for (const platform of ['github', 'x', 'lemonsqueezy']) await send(endpoint, { platform });
    const headers = { 'x-github-event': 'push', 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` };
    const id = await server.deliver(endpoint, '{}', { headers });
    expect((await detail(id)).signature).toMatchObject({ verdict: 'unchecked', reason: 'no_secret' });
    const unknown = await server.deliver(endpoint, '{}', { headers: { 'x-signature': '0'.repeat(64) } });
    expect((await detail(unknown)).platform).toBeNull();
    const challenge = await server.deliver(endpoint, '', { method: 'GET', body: null, suffix: '?crc_token=abc' });
    expect(challenge).toStartWith('evt_');
  });

  test('what a test event shows makes no other delivery valid', async () => {
    const endpoint = await newEndpoint();
    const sent = await send(endpoint, { platform: 'gitlab' });
    const { rawHeaders, payloadRaw } = await detail(sent.eventId);
    const shown = rawHeaders.filter(([name]) => !/^(host|content-length|x-hooktape-test)$/i.test(name));
    expect(shown.map(([name]) => name.toLowerCase())).toContain('x-gitlab-token');
    const forged = await server.deliver(endpoint, payloadRaw, { headers: Object.fromEntries(shown) });
    expect((await detail(forged)).signature).toMatchObject({ verdict: 'unchecked', reason: 'no_secret' });
  });

  test.each([
    [{ platform: 'nobody' }, 'unknown platform: GET'],
    [{ platform: 'Strpe' }, 'lists them; did you mean stripe?'],
    [{ platform: 'stripe', sample: 'nothing' }, 'invoice.paid'],
    [{ platform: 'discord' }, 'no sample'],
    [{ platform: 'paypal', secret: 'a secret' }, 'private key'],
    [{ platform: 'strava', secret: 'a secret' }, 'does not sign'],
    [{ platform: 'clerk', secret: 'not base64 at all!' }, 'whsec_'],
    [{}, 'platform'],
    [{ platform: 'stripe', url: 'https://example.com' }, 'url'],
  ])('400 for %j', async (body, reason) => {
    const error = await refused(await newEndpoint(), body);
    expect(error).toContain(reason);
    expect(error).not.toContain('not base64 at all!');
  });

  test('it is answered as a delivery is: by the rules, which count it, and the preview agrees', async () => {
    const endpoint = await newEndpoint();
    const path = `/api/endpoints/${endpoint.id}/answers`;
    const rules = [{ name: 'twice', first: 2, answer: { status: 500 } }];
    await ada.json(200, 'PUT', path, { rules });
    for (let n = 0; n < 2; n++) await send(endpoint, { platform: 'github' });
    await send(endpoint, { platform: 'stripe' });
    await server.deliver(endpoint);
    const { events } = await ada.json<EventPage>(200, 'GET', `/api/events?endpointId=${endpoint.id}`);
    expect(events.map(({ answered }) => [answered.rule, answered.status]).reverse()).toEqual([
      ['twice', 500],
      ['twice', 500],
      [null, 200],
      [null, 200],
    ]);
    const preview = await ada.json<AnswerPreview>(200, 'POST', `${path}/preview`, { rules });
    expect(preview.events.map(({ rule, status }) => [rule, status])).toEqual(
      events.map(({ answered }) => [answered.rule, answered.status]),
    );
  });

  test('a delayed answer is stored as chosen, and the request waits for nothing and takes no place of a sender', async () => {
    const endpoint = await newEndpoint();
    const rules = [{ name: 'slow', answer: { delayMs: 60_000 } }];
    await ada.json(200, 'PUT', `/api/endpoints/${endpoint.id}/answers`, { rules });
    const { eventId } = await send(endpoint, { platform: 'github' });
    expect((await detail(eventId)).answered).toMatchObject({ rule: 'slow', delayMs: 60_000, limited: false });
    expect(server.services.holds.count()).toBe(0);
  });

  test('the endpoint’s guard lets it pass', async () => {
    const endpoint = await newEndpoint();
    const guard = { token: { in: 'query', name: 'token', value: 'a long random text' }, onRefuse: 'record' };
    await ada.json(200, 'PATCH', `/api/endpoints/${endpoint.id}`, { guard });
    const { eventId } = await send(endpoint, { platform: 'github' });
    expect((await detail(eventId)).refused).toBeNull();
  });

  test('409 while the endpoint is paused', async () => {
    const endpoint = await newEndpoint();
    const path = `/api/endpoints/${endpoint.id}`;
    await ada.json(200, 'PATCH', path, { paused: true });
    expect(
      (await ada.json<{ error: string }>(409, 'POST', `${path}/test-events`, { platform: 'stripe' })).error,
    ).toContain('resume');
    await ada.json(200, 'PATCH', path, { paused: false });
    await send(endpoint, { platform: 'stripe' });
  });

  test('404 for the endpoint of another team, which gets neither an event nor a secret', async () => {
    const endpoint = await newEndpoint();
    await bob.json(404, 'POST', `/api/endpoints/${endpoint.id}/test-events`, { platform: 'stripe' });
    expect(await secretsOf(endpoint)).toEqual([]);
    const { events } = await ada.json<{ events: unknown[] }>(200, 'GET', `/api/events?endpointId=${endpoint.id}`);
    expect(events).toEqual([]);
  });
});

describe('GET /api/platforms', () => {
  test('the best-known first, with samples, guides and secrets', async () => {
    const all = await guides();
    expect(all[0]).toMatchObject({ name: 'stripe', title: 'Stripe', signing: 'signed' });
    expect(all[0]?.samples).toContainEqual({ name: 'invoice.paid', title: 'Invoice paid' });
    expect(all.find(({ name }) => name === 'paypal')).toMatchObject({ signing: 'unsigned' });
    expect(all.find(({ name }) => name === 'zapier')).toMatchObject({ signing: 'none', secretHint: null });
    expect(all.find(({ name }) => name === 'discord')?.samples).toEqual([]);
  });
});
