import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { signedDeliveries } from '../../testing/signed-deliveries.ts';
import { openTestServer, type TestAccount, type TestServer } from '../../testing/test-server.ts';
import type { Timeline } from '../timeline/model.ts';

type Detail = {
  platform: string | null;
  signatureValid: boolean | null;
  signature: { platform: string; verdict: string; reason: string | null; proves: string | null } | null;
};

let server: TestServer;
let ada: TestAccount;

beforeAll(async () => {
  server = await openTestServer();
  ada = await server.createAccount();
});
afterAll(() => server.close());

const platforms = (await signedDeliveries('http://localhost:4665/in/anywhere', Date.now())).map(one => one.platform);

describe('deliveries signed by the platforms’ own libraries', () => {
  test('cover at least 15 platforms', () => {
    expect(new Set(platforms).size).toBeGreaterThanOrEqual(15);
  });

  test.each(platforms)('%s: valid, and invalid with one byte changed', async platform => {
    const endpoint = await ada.createEndpoint(platform);
    const signed = (await signedDeliveries(endpoint.url, Date.now())).find(one => one.platform === platform);
    if (!signed) throw new Error(`nothing signed for ${platform}`);
    const { secret, method, headers, body, url } = signed;
    await ada.json(201, 'POST', `/api/endpoints/${endpoint.id}/secrets`, { platform, secret });

    const target = new URL(url);
    const send = async (bytes: string): Promise<Detail> => {
      const response = await fetch(`${await server.listen()}${target.pathname}${target.search}`, {
        method,
        headers: { ...headers },
        body: bytes,
      });
      // Some are answered the platform's own way: the newest event is the one that was sent.
      await response.arrayBuffer();
      const { events } = await ada.json<{ events: { id: string }[] }>(
        200,
        'GET',
        `/api/events?endpointId=${endpoint.id}&limit=1`,
      );
      return ada.json<Detail>(200, 'GET', `/api/events/${events[0]?.id}`);
    };
    expect(await send(body)).toMatchObject({
      platform,
      signatureValid: true,
      signature: { platform, verdict: 'valid', reason: null },
    });

    const at = Math.floor(body.length / 2);
    const other = body[at] === 'x' ? 'y' : 'x';
    expect(await send(`${body.slice(0, at)}${other}${body.slice(at + 1)}`)).toMatchObject({
      signatureValid: false,
      signature: { verdict: 'invalid' },
    });
    // The verdict that was stored when they were filed is the same, and it stays when the secret goes.
    const path = `/api/endpoints/${endpoint.id}`;
    const [stored] = (await ada.json<{ secrets: { id: string }[] }>(200, 'GET', `${path}/secrets`)).secrets;
    await ada.json(200, 'DELETE', `${path}/secrets/${stored?.id}`);
    const { buckets } = await ada.json<Timeline>(200, 'GET', `${path}/timeline?buckets=1`);
    expect(buckets).toMatchObject([{ count: 2, accepted: 1, failed: 0, invalid: 1 }]);
  });
});
