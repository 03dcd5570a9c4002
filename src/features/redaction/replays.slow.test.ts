/* A redacted event counts as edited when it is sent again. */
import { afterAll, afterEach, expect, test } from 'bun:test';
import { eventually } from '../../testing/poll.ts';
import { closePeers, ok } from '../../testing/raw-destination.ts';
import { openSigningHarness, secret } from '../../testing/signing-harness.ts';

const fixture = await openSigningHarness();
const { ada, deliver, endpoint, event, harness, localUrl, open, replay, replaysOf } = fixture;
afterEach(closePeers);
afterAll(() => harness.close());

await ada.json(200, 'PUT', `/api/endpoints/${endpoint.id}/redaction`, {
  rules: [{ in: 'body', path: 'amount', with: 'remove' }],
});
const redacted = await deliver(endpoint);
const unsigned = await harness.server.deliver(endpoint, '{"amount":1}');

test('no stored secret signs it, even though its signature was valid; a secret of the request does', async () => {
  await open(ok);
  expect(await ada.json(200, 'GET', `/api/events/${redacted}`)).toMatchObject({
    payloadRaw: '{"id":"evt_1"}',
    signature: { verdict: 'valid', checked: 'arrival' },
  });
  const refused = await replay({}, { id: redacted });
  expect([refused.status, ((await refused.json()) as { error: string }).error]).toEqual([
    403,
    expect.stringContaining('not edited'),
  ]);
  expect((await replay({ sign: { mode: 'fresh' } }, { id: redacted })).status).toBe(403);
  expect((await replay({ dryRun: true }, { id: redacted })).status).toBe(403);
  expect((await replay({})).status).toBe(200);
  const signed = await replay({ sign: { mode: 'fresh', secret } }, { id: redacted });
  expect(await signed.json()).toMatchObject({ ok: true, note: null });
});

test('a replay as captured says that the signature no longer covers the body', async () => {
  const to = await open(ok);
  const note = expect.stringContaining('signature no longer covers the body');
  const sent = await replay({ sign: { mode: 'none' } }, { id: redacted });
  expect(await sent.json()).toMatchObject({ ok: true, note });
  expect(to.received()).toContain('x-hooktape-edited: 1');
  expect(to.received()).toEndWith('{"id":"evt_1"}');
  expect((await replaysOf(redacted))[0]).toMatchObject({ note, edited: true, signed: false });
  expect(await (await replay({ sign: { mode: 'none' } }, { id: unsigned })).json()).toMatchObject({ note: null });
  expect(await (await replay({ sign: { mode: 'none' } }, { id: event })).json()).toMatchObject({ note: null });
});

test('a forward sends it without a signature of a stored secret, and its attempt has the note', async () => {
  const to = await open(ok);
  const forward = { name: 'all', url: localUrl() };
  await ada.json(201, 'POST', `/api/endpoints/${endpoint.id}/forwards`, forward);
  const next = await deliver(endpoint);
  await eventually(() => to.received().endsWith('{"id":"evt_1"}'));
  const attempt = await eventually(async () => (await replaysOf(next))[0]);
  expect(attempt).toMatchObject({ via: 'forward', edited: true, note: expect.stringContaining('signature') });
  await ada.json(201, 'POST', `/api/endpoints/${endpoint.id}/forwards`, {
    name: 'signed',
    url: localUrl(),
    sign: 'fresh',
  });
  const signed = await deliver(endpoint);
  const given = await eventually(async () => {
    const { forwards } = await ada.json<{ forwards: { name: string; state: string }[] }>(
      200,
      'GET',
      `/api/events/${signed}`,
    );
    return forwards.find(({ name, state }) => name === 'signed' && state === 'given_up');
  });
  expect(given).toBeDefined();
});
