import { afterAll, beforeAll, expect, test } from 'bun:test';
import { connect, type Socket } from 'node:net';
import { holdClock } from '../../testing/clock.ts';
import { eventually } from '../../testing/poll.ts';
import { openTestServer, type TestServer } from '../../testing/test-server.ts';

const clock = holdClock();
let server: TestServer;
beforeAll(async () => {
  server = await openTestServer({ clock });
});
afterAll(() => server.close());

test('a client that stops reading is disconnected after a minute, and nothing is buffered for it until then', async () => {
  const { services } = server;
  const { port } = new URL(await server.listen());
  const ada = await server.createAccount();
  const { id } = await ada.createEndpoint();
  const endpoint = await services.endpoints.owned(await services.account.byEmail(ada.email), id);
  const body = Buffer.from('x'.repeat(200));
  const delivery = {
    method: 'POST',
    path: `/${'p'.repeat(900)}`,
    query: null,
    fields: new Uint8Array(0),
    body,
    sourceIp: '::1',
  };
  // More than the socket buffers of both ends hold together.
  for (let i = 0; i < 12; i++)
    await Promise.all(
      Array.from({ length: 1000 }, () => services.capture.record(endpoint, { ...delivery, receivedAt: clock.now() })),
    );

  const socket: Socket = connect(Number(port), '127.0.0.1');
  socket.pause();
  socket.write(
    `GET /api/endpoints/${id}/stream?lastEventId= HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${ada.key}\r\n\r\n`,
  );
  await eventually(() => services.notifications.openStreams() === 1);
  await eventually(() => {
    clock.advance(1000);
    return services.notifications.openStreams() === 0;
  }, 120_000);
  let received = 0;
  socket.on('data', chunk => {
    received += chunk.length;
  });
  const closed = new Promise(resolve => socket.on('close', resolve));
  socket.on('error', () => {});
  socket.resume();
  await closed;
  expect(received).toBeLessThan(12_000 * 1200);
}, 120_000);
