/* The fast path over real sockets, with the HTTP server behind it. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { connect } from 'node:net';
import type { DeliveryResponse } from '../../core/delivery-response.ts';
import {
  answers,
  budgetBytes,
  type FastPathServer,
  latin1,
  maxBodyBytes,
  ok,
  openFastPath,
  post,
} from '../../testing/fast-path.ts';
import { eventually, stableCount } from '../../testing/poll.ts';
import type { Wire } from '../../testing/raw-http.ts';

let server: FastPathServer;
beforeEach(async () => {
  server = await openFastPath();
});
afterEach(() => server.close());

const waitForAnswers = (wire: Wire, count: number) => eventually(() => answers(wire) >= count);

describe('a plain delivery', () => {
  test('is delivered as it was sent, and its response has the usual fields', async () => {
    const wire = await server.open();
    wire.write(post('hello', 'X-Forwarded-For: 1.2.3.4'));
    expect(await wire.until(/true\}$/)).toMatch(
      /^HTTP\/1\.1 200 OK\r\ncontent-type: application\/json\r\ncontent-length: 11\r\nDate: \w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT\r\nConnection: keep-alive\r\nKeep-Alive: timeout=65\r\n\r\n\{"ok":true\}$/,
    );
    const fields = 'Host: x\r\nContent-Length: 5\r\nX-Forwarded-For: 1.2.3.4\r\n';
    expect(server.arrived).toEqual([
      { method: 'POST', target: '/in/t', forwardedFor: '1.2.3.4', fields, body: 'hello' },
    ]);
    expect([server.free, server.handedOver]).toEqual([budgetBytes, []]);
  });

  test('may arrive with its body in pieces', async () => {
    const wire = await server.open();
    const text = post('hello');
    wire.write(text.slice(0, -5));
    await eventually(() => server.free < budgetBytes);
    wire.write('he');
    await eventually(() => server.free === budgetBytes - text.length + 3);
    wire.write('llo');
    await waitForAnswers(wire, 1);
    expect([server.arrived[0]?.body, server.free]).toEqual(['hello', budgetBytes]);
  });

  test('follows another one on the connection, pipelined or not, in order', async () => {
    const wire = await server.open();
    const held = Promise.withResolvers<DeliveryResponse>();
    server.answer = ({ body }) => (latin1(body) === '1' ? held.promise : ok(`{"ok":${latin1(body)}}`));
    wire.write(post('1') + post('22') + post('333').slice(0, -1));
    await eventually(() => server.arrived.length === 1);
    held.resolve(ok('{"ok":1}'));
    await waitForAnswers(wire, 2);
    wire.write('3');
    expect((await wire.until(/333\}/)).match(/"ok":\d+/g)).toEqual(['"ok":1', '"ok":22', '"ok":333']);
    expect([server.arrived.map(({ body }) => body), server.handedOver, server.free]).toEqual([
      ['1', '22', '333'],
      [],
      budgetBytes,
    ]);
  });

  test('with Connection: close ends the connection', async () => {
    const wire = await server.open();
    wire.write(post('x', 'Connection: close') + post('never'));
    await wire.closed;
    expect(wire.received()).toMatch(/\r\nConnection: close\r\n/);
    expect([answers(wire), server.arrived.length]).toEqual([1, 1]);
  });

  test('a sender that has closed its half of the connection gets its response', async () => {
    const held = Promise.withResolvers<DeliveryResponse>();
    server.answer = () => held.promise;
    let text = '';
    const socket = connect(server.port, '127.0.0.1', () => socket.end(post('x')));
    socket.on('data', chunk => {
      text += latin1(chunk);
    });
    await eventually(() => server.arrived.length === 1);
    held.resolve(ok());
    await eventually(() => text.endsWith('{"ok":true}'));
    await eventually(() => socket.destroyed);
  });
});

describe('responses', () => {
  test('with non-ASCII characters have a Content-Length in bytes', async () => {
    server.answer = () => ok('"é"');
    const wire = await server.open();
    wire.write(post('x') + post('y'));
    await waitForAnswers(wire, 2);
    expect(wire.received().match(/content-length: 4\r\n[^"]*"\xc3\xa9"/g)).toHaveLength(2);
  });

  test('may have no body', async () => {
    server.answer = () => ({ status: 204, headers: {}, body: '' });
    const wire = await server.open();
    wire.write(post('x'));
    expect(await wire.until(/\r\n\r\n/)).not.toMatch(/content-length/i);
  });

  test('an unexpected error ends the connection and is reported', async () => {
    server.answer = () => {
      throw new Error('defect');
    };
    const wire = await server.open();
    wire.write(post('x'));
    await wire.closed;
    expect([server.errors.length, server.free]).toEqual([1, budgetBytes]);
  });

  test('are not produced for a client that does not read them', async () => {
    const large = 'x'.repeat(1 << 20);
    server.answer = () => ok(large);
    const socket = connect(server.port, '127.0.0.1');
    socket.pause();
    socket.write(post('x').repeat(100));
    expect(await stableCount(() => server.arrived.length)).toBeLessThan(50);
    let bytes = 0;
    socket.on('data', chunk => {
      bytes += chunk.length;
    });
    socket.resume();
    await eventually(() => bytes > 100 * large.length);
    socket.destroy();
    expect(server.arrived).toHaveLength(100);
  });
});

describe('passed to the HTTP server from the beginning of the request', () => {
  test.each([
    ['another path', 'GET /x HTTP/1.1\r\nHost: x\r\n\r\n', /app/, []],
    [
      'a chunked body',
      'POST /in/t HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n',
      /complete/,
      ['POST /in/t hi'],
    ],
    ['a larger body', post('x'.repeat(maxBodyBytes + 1)), /complete/, [`POST /in/t ${'x'.repeat(maxBodyBytes + 1)}`]],
    ['another method', 'PURGE /in/t HTTP/1.1\r\nHost: x\r\n\r\n', /complete/, ['PURGE /in/t ']],
  ])('%s', async (_name, request, expected, went) => {
    const wire = await server.open();
    wire.write(request);
    await wire.until(expected);
    expect([server.handedOver, server.arrived]).toEqual([went, []]);
  });

  test('a head in pieces, and everything after it on that connection', async () => {
    const wire = await server.open();
    wire.write(post('hello').slice(0, 10));
    await server.hasRead();
    wire.write(post('hello').slice(10) + post('again'));
    await waitForAnswers(wire, 2);
    expect([server.handedOver, server.arrived]).toEqual([['POST /in/t hello', 'POST /in/t again'], []]);
  });

  test('another request after a plain delivery', async () => {
    const wire = await server.open();
    wire.write(`${post('one')}GET /x HTTP/1.1\r\nHost: x\r\n\r\n`);
    expect(await wire.until(/app/)).toMatch(/ok":true[\s\S]*app/);
    expect([server.arrived.length, server.handedOver, server.free]).toEqual([1, [], budgetBytes]);
  });

  test('a delivery that exceeds the budget, even when part of it has arrived', async () => {
    server.free = 130;
    const wire = await server.open();
    const text = post('x'.repeat(500));
    wire.write(text.slice(0, 100));
    await eventually(() => server.free < 130);
    wire.write(text.slice(100));
    await waitForAnswers(wire, 1);
    expect([server.handedOver, server.arrived, server.free]).toEqual([[`POST /in/t ${'x'.repeat(500)}`], [], 130]);
  });

  test('a body for an unknown target, before any of it is buffered', async () => {
    const wire = await server.open();
    wire.write(post('hello').replace('/in/t', '/in/unknown').slice(0, -1));
    await server.hasRead();
    expect(server.free).toBe(budgetBytes);
    wire.write('o');
    await wire.until(/complete/);
    expect([server.handedOver, server.arrived]).toEqual([['POST /in/unknown hello'], []]);
  });

  test('invalid HTTP is answered at once', async () => {
    const wire = await server.open();
    wire.write('\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03');
    await wire.closed;
    expect(wire.received()).toMatch(/^HTTP\/1\.1 400 /);
  });
});
