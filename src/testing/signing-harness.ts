/* An endpoint with a stored signing secret that may sign, a valid event, and a destination, for tests of refusals. */
import { expect } from 'bun:test';
import { createHmac } from 'node:crypto';
import { openOAuthHarness } from './oauth-harness.ts';
import { ok, type Peer, peer } from './raw-destination.ts';

export const secret = 'a stored secret of the platform';
export const body = '{"id":"evt_1","amount":1}';
/** The origin that is listed with the secret. */
export const listed = 'https://staging.example.com';

export type SigningHarness = Awaited<ReturnType<typeof openSigningHarness>>;

export async function openSigningHarness() {
  const harness = await openOAuthHarness({
    env: { HOOKTAPE_BASE_URL: 'http://localhost:4665', HOOKTAPE_REPLAY_ALLOW: 'localtest.example,127.0.0.2' },
  });
  const ada = await harness.createAccount('ada@example.com');
  const bob = await harness.createAccount('bob@example.com');

  const stripeHeader = (key: string, at = harness.clock.now()): string => {
    const t = Math.floor(at / 1000);
    return `t=${t},v1=${createHmac('sha256', key).update(`${t}.${body}`).digest('hex')}`;
  };
  const deliver = (where: { url: string }, signature: string | undefined = stripeHeader(secret), suffix = '') =>
    harness.server.deliver(where, body, {
      suffix,
      headers: { 'content-type': 'application/json', 'stripe-signature': signature },
    });
  const addSecret = async (where: { id: string }, value: string): Promise<string> => {
    const path = `/api/endpoints/${where.id}/secrets`;
    return (await ada.json<{ id: string }>(201, 'POST', path, { platform: 'stripe', secret: value })).id;
  };
  const allow = (where: { id: string }, id: string, change: object = { maySign: true, destinations: [listed] }) =>
    ada.json(200, 'PATCH', `/api/endpoints/${where.id}/secrets/${id}`, change);

  const endpoint = await ada.createEndpoint();
  const secretId = await addSecret(endpoint, secret);
  await allow(endpoint, secretId);
  const event = await deliver(endpoint);

  let to: Peer | undefined;
  const localUrl = () => `http://127.0.0.1:${to?.port ?? 9}/hook`;
  /** Opens the destination that `replay` uses. */
  const open = async (answer = ok): Promise<Peer> => {
    to = await peer(answer);
    return to;
  };
  type Options = { id?: string; headers?: Record<string, string> };
  const replay = (request: object, { id = event, headers = { authorization: `Bearer ${ada.key}` } }: Options = {}) =>
    harness.fetch(`/api/events/${id}/replay`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ url: localUrl(), sign: { mode: 'fresh', secretId }, ...request }),
    });
  const replaysOf = async (id: string) =>
    (await ada.json<{ replays: object[] }>(200, 'GET', `/api/events/${id}`)).replays;

  return {
    harness,
    ada,
    bob,
    endpoint,
    secretId,
    event,
    stripeHeader,
    deliver,
    addSecret,
    allow,
    open,
    localUrl,
    replay,
    replaysOf,
    /** Expects that the request is refused, and that neither the destination nor the list of replays has changed. */
    async refused(status: number, request: object, options: Options = {}): Promise<string> {
      const before = await replaysOf(options.id ?? event);
      const answer = await replay(request, options);
      const { error } = (await answer.json()) as { error: string };
      expect([answer.status, to?.connects()]).toEqual([status, 0]);
      expect(await replaysOf(options.id ?? event)).toEqual(before);
      return error;
    },
  };
}
