/* Delays of one team do not take the connections that other teams' delays need. */
import { afterAll, beforeAll, expect, test } from 'bun:test';

import { eventually } from '../../testing/poll.ts';
import { openWire, type Wire } from '../../testing/raw-http.ts';
import { openTestServer, type TestAccount, type TestServer } from '../../testing/test-server.ts';

const perEndpoint = 5;
let server: TestServer;
let origin: string;
const wires: Wire[] = [];

beforeAll(async () => {
  const connections = { total: 60, reserved: 10, assured: perEndpoint };
  server = await openTestServer({ overrides: { heldAnswers: { perEndpoint, connections } } });
  origin = await server.listen();
});
afterAll(async () => {
  for (const wire of wires) wire.destroy();
  await server.close();
});

/** Sends deliveries to a new endpoint that delays its answers. @returns whether each was answered at once instead */
async function limitedOf(account: TestAccount, deliveries: number): Promise<boolean[]> {
  const { id, url } = await account.createEndpoint();
  const rules = [{ answer: { delayMs: 60_000 } }];
  await account.json(200, 'PUT', `/api/endpoints/${id}/answers`, { rules });
  for (let n = 0; n < deliveries; n++) {
    const wire = await openWire(origin);
    wires.push(wire);
    wire.write(`POST ${new URL(url).pathname} HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n`);
  }
  let limited: boolean[] = [];
  await eventually(async () => {
    const path = `/api/events?endpointId=${id}`;
    const { events } = await account.json<{ events: { answered: { limited: boolean } }[] }>(200, 'GET', path);
    limited = events.map(({ answered }) => answered.limited);
    return limited.length === deliveries;
  });
  return limited.toSorted();
}

test('when one team holds all the connections that it may, delays of another team are held as ever', async () => {
  const ada = await server.createAccount('ada@example.com');
  for (let endpoint = 0; endpoint < 12; endpoint++)
    expect(await limitedOf(ada, perEndpoint)).toEqual(Array(perEndpoint).fill(endpoint >= 5));
  expect(server.services.holds.count()).toBe(25);
  const bob = await server.createAccount('bob@example.com');
  expect(await limitedOf(bob, perEndpoint + 1)).toEqual([...Array(perEndpoint).fill(false), true]);
});
