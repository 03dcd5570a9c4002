/* Alerts about forwards whose destination does not take events. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type AlertBench, openAlerts } from '../../testing/alerts.ts';
import { rowsOf } from '../../testing/events.ts';
import { eventually } from '../../testing/poll.ts';

let alerts: AlertBench;
const received: string[] = [];
let attempts = 0;
let isDown = true;
const http = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch: async request => {
    const { pathname } = new URL(request.url);
    if (pathname !== '/alerts') attempts++;
    else received.push(((await request.json()) as { type: string }).type);
    return new Response(null, { status: pathname !== '/alerts' && isDown ? 503 : 200 });
  },
});
beforeAll(async () => {
  alerts = await openAlerts();
});
afterAll(async () => {
  await alerts.close();
  await http.stop(true);
});

test('a forward that keeps failing is reported once, and its recovery once', async () => {
  const { ada, server } = alerts;
  const origin = `http://127.0.0.1:${http.port}`;
  const endpoint = await ada.createEndpoint();
  await ada.json(201, 'POST', `/api/endpoints/${endpoint.id}/forwards`, {
    name: 'billing',
    url: `${origin}/billing`,
    mode: 'ordered',
    sign: 'as-captured',
    enabled: true,
  });
  const channel = { type: 'webhook', url: `${origin}/alerts` };
  await alerts.create(endpoint.id, { kind: 'forward_stuck', minutes: 2, channel, enabled: true });
  await alerts.pass(180_000);
  expect(received).toEqual([]);

  await server.deliver(endpoint);
  // The clock stands until the first attempt, whose failure is the beginning.
  await eventually(() => attempts > 0);
  await server.services.queues.idle();
  await alerts.pass(90_000);
  expect(received).toEqual([]);
  await alerts.pass(300_000);
  expect(received).toEqual(['alert.fired']);
  isDown = false;
  await alerts.pass(900_000);
  expect(received).toEqual(['alert.fired', 'alert.resolved']);
  const ofTeam = 'SELECT kind FROM queues WHERE team_id = (SELECT team_id FROM endpoints) ORDER BY kind';
  expect(await rowsOf(server, ofTeam)).toEqual([['alert'], ['forward']]);
}, 120_000);
