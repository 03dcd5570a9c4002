/* A team whose destinations accept connections and never answer holds up neither other teams nor its own replay jobs. */
import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import { type ForwardBench, openForwards } from '../../testing/forwards.ts';
import { eventually } from '../../testing/poll.ts';
import { closePeers, type Peer, peer } from '../../testing/raw-destination.ts';

const places = { total: 20, reserved: 6, assured: 2 };
const endpoints = 5;
const forwardsEach = 5;
let bench: ForwardBench;
beforeAll(async () => {
  bench = await openForwards({ overrides: { queuePlaces: places } });
});
afterEach(closePeers);
afterAll(() => bench.close());

test('another team’s forwards run at once while more forwards of one team hang than there are places', async () => {
  const { server, ada, destination } = bench;
  const peers: Peer[] = [];
  for (let n = 0; n < endpoints; n++) {
    const endpoint = await ada.createEndpoint();
    for (let forward = 0; forward < forwardsEach; forward++) {
      const hanging = await peer(() => {});
      peers.push(hanging);
      await bench.create(endpoint, { url: `http://127.0.0.1:${hanging.port}/`, timeoutS: 120 });
    }
    await server.deliver(endpoint, '{}');
  }
  const connects = (): number => peers.filter(one => one.connects() > 0).length;
  await eventually(() => connects() === 7);

  const bob = await server.createAccount('bob@example.com');
  const healthy = await bob.createEndpoint();
  const { url, received } = destination(() => new Response('ok'));
  const body = { name: 'one', url };
  await bob.json(201, 'POST', bench.path(healthy), body);
  await bob.json(201, 'POST', bench.path(healthy), body);
  const id = await server.deliver(healthy, '{"n":1}');
  await eventually(() => received.length === 2);

  const own = await ada.createEndpoint();
  const event = await server.deliver(own, '{"n":2}');
  await ada.json(202, 'POST', '/api/replay-jobs', { endpointId: own.id, eventIds: [event], dest: url });
  await eventually(() => received.length === 3);
  expect(received.map(({ headers }) => headers.get('x-service-replay'))).toEqual([id, id, event]);
  expect(connects()).toBe(7);
}, 120_000);
