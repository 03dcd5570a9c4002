/* How connections of the fast path end, when the sender disconnects and when the server closes them. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { connect } from 'node:net';
import type { DeliveryResponse } from '../../core/delivery-response.ts';
import { answers, budgetBytes, type FastPathServer, latin1, ok, openFastPath, post } from '../../testing/fast-path.ts';
import { eventually, stableCount } from '../../testing/poll.ts';
import type { Wire } from '../../testing/raw-http.ts';

let server: FastPathServer;
beforeEach(async () => {
  server = await openFastPath();
});
afterEach(() => server.close());

const waitForAnswers = (wire: Wire, count: number) => eventually(() => answers(wire) >= count);

/** Resolves when the server makes no more responses, because too many are unread. */
async function sendWithoutReading(deliveries: number, behind = '') {
  server.arrived = [];
  server.answer = () => ok('x'.repeat(50_000));
  let text = '';
  const socket = connect({ port: server.port, host: '127.0.0.1', allowHalfOpen: true });
  socket
    .on('error', () => {})
    .on('data', chunk => {
      text += latin1(chunk);
    })
    .on('end', () => socket.end())
    .pause()
    .write(post('hello').repeat(deliveries) + behind);
  await stableCount(() => server.arrived.length);
  return { socket, received: () => text };
}

describe('a sender that disconnects', () => {
  test('in the middle of a body is reported, and its memory released', async () => {
    const wire = await server.open();
    wire.write(post('hello').slice(0, -1));
    await eventually(() => server.free < budgetBytes);
    wire.destroy();
    await eventually(() => server.aborted === 1);
    expect([server.free, server.arrived]).toEqual([budgetBytes, []]);
  });

  test('by closing its half of the connection is reported, too', async () => {
    const socket = connect(server.port, '127.0.0.1', () => socket.end(post('hello').slice(0, -1)));
    await eventually(() => server.aborted === 1);
    await eventually(() => socket.destroyed);
    expect([server.free, server.arrived]).toEqual([budgetBytes, []]);
  });

  test('after several pipelined deliveries gets a response to each complete one', async () => {
    let text = '';
    const all = `${post('1')}${post('2')}${post('3')}`;
    const socket = connect(server.port, '127.0.0.1', () => socket.end(`${all}${post('four').slice(0, -1)}`));
    socket.on('data', chunk => {
      text += latin1(chunk);
    });
    await eventually(() => socket.destroyed);
    expect([server.arrived.map(({ body }) => body), text.split('"ok":true').length - 1]).toEqual([['1', '2', '3'], 3]);
    await eventually(() => server.free === budgetBytes);
  });

  test('with one half, before it reads its responses, gets one for each delivery', async () => {
    const { socket, received } = await sendWithoutReading(140);
    expect(server.arrived.length).toBeLessThan(140);
    socket.end();
    await server.hasRead();
    socket.resume();
    await eventually(() => socket.destroyed);
    expect(received().split('HTTP/1.1 200 OK')).toHaveLength(141);
  });

  test('in the middle of a body, before it reads its responses, gets those to earlier deliveries', async () => {
    const most = await sendWithoutReading(140);
    most.socket.destroy();
    // Few enough that the server makes all responses although they are unread.
    const count = server.arrived.length - 1;
    const { socket, received } = await sendWithoutReading(count, post('half').slice(0, -1));
    socket.end();
    await server.hasRead();
    socket.resume();
    await eventually(() => socket.destroyed);
    expect(received().split('x'.repeat(50_000))).toHaveLength(count + 1);
    await eventually(() => server.aborted === 1 && server.free === budgetBytes);
  });

  test.each([
    ['a request', 'GET /x HTTP/1.1\r\nHost: x\r\n\r\n', /true\}HTTP\/1\.1 200 .*app/s],
    [
      'a delivery in chunks, and another plain one',
      `POST /in/t HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n${post('again')}`,
      /true\}HTTP\/1\.1 200 .*complete.*HTTP\/1\.1 200 .*complete$/s,
    ],
    ['half a head', 'GET /x HTTP/1.1\r\nHo', /true\}HTTP\/1\.1 400 .*\{"error":"malformed request"\}$/s],
  ])('after a delivery and %s for the HTTP server gets both responses', async (_name, behind, expected) => {
    let text = '';
    const socket = connect(server.port, '127.0.0.1', () => socket.end(post('1') + behind));
    socket.on('data', chunk => {
      text += latin1(chunk);
    });
    await eventually(() => socket.destroyed);
    expect(text).toMatch(expected);
    expect([server.arrived.length, server.errors, server.free]).toEqual([1, [], budgetBytes]);
  });

  test('before the response: the delivery is stored and not reported as aborted', async () => {
    const held = Promise.withResolvers<DeliveryResponse>();
    server.answer = () => held.promise;
    const wire = await server.open();
    wire.write(post('hello'));
    await eventually(() => server.arrived.length === 1);
    wire.destroy();
    held.resolve(ok());
    await eventually(() => server.free === budgetBytes);
    expect([server.aborted, server.errors]).toEqual([0, []]);
  });
});

describe('closing', () => {
  test('waits for a delivery that is being stored, answers it with Connection: close, and closes idle connections', async () => {
    const held = Promise.withResolvers<DeliveryResponse>();
    server.answer = ({ body }) => (latin1(body) === 'slow' ? held.promise : ok());
    const [slow, idle, silent] = [await server.open(), await server.open(), await server.open()];
    idle.write(post('quick'));
    slow.write(post('slow'));
    await waitForAnswers(idle, 1);
    await eventually(() => server.arrived.length === 2);
    let isClosed = false;
    const closing = server.front.close(5000).then(() => {
      isClosed = true;
    });
    await Promise.all([idle.closed, silent.closed]);
    expect(isClosed).toBe(false);
    held.resolve(ok());
    await closing;
    await slow.closed;
    expect(slow.received()).toMatch(/\r\nConnection: close\r\n[\s\S]*\{"ok":true\}$/);
  });

  test('waits for a body that is arriving', async () => {
    const wire = await server.open();
    wire.write(post('hello').slice(0, -1));
    await eventually(() => server.free < budgetBytes);
    const closing = server.front.close(5000);
    wire.write('o');
    await closing;
    await wire.closed;
    expect([answers(wire), server.arrived.length]).toEqual([1, 1]);
  });

  test('waits until the responses are read', async () => {
    const { socket, received } = await sendWithoutReading(140);
    const closing = server.front.close(5000);
    socket.resume();
    await closing;
    await eventually(() => socket.destroyed);
    expect(received().split('HTTP/1.1 200 OK')).toHaveLength(server.arrived.length + 1);
    expect(received()).toMatch(/Connection: close\r\n\r\nx+$/);
  });

  test('does not wait beyond the deadline', async () => {
    const wire = await server.open();
    wire.write(post('hello').slice(0, -1));
    await eventually(() => server.free < budgetBytes);
    await server.front.close(20);
    await wire.closed;
    await eventually(() => server.free === budgetBytes);
  });
});
