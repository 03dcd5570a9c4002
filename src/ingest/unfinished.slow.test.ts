/* Incomplete deliveries hold a limited share of the memory budget, for a limited time, so that others are accepted. */

import { heapStats } from 'bun:jsc';
import { afterEach, describe, expect, test } from 'bun:test';
import type { MemoryBudget } from '../core/concurrency/memory-budget.ts';
import { createFront, type Front, type FrontLimits } from '../front.ts';
import { createClientAddress } from '../http/client-address.ts';
import { parseCidr } from '../shared/addresses.ts';
import { eventually } from '../testing/poll.ts';
import { exchange, openWire, type Wire } from '../testing/raw-http.ts';
import { createDeliveryBudgets } from './delivery-budgets.ts';
import { createIngest } from './ingest.ts';

const kilobyte = 1 << 10;
const megabyte = 1 << 20;
const [attacker, other, third] = ['127.0.0.1', '127.0.0.2', '127.0.0.3'];
const endpoints: Record<string, number> = { a: 1, b: 2, c: 3 };

let front: Front | undefined;
const wires: Wire[] = [];
afterEach(async () => {
  for (const wire of wires.splice(0)) wire.destroy();
  await front?.close(0);
});

type Sizes = { maxBodyBytes?: number; smallBytes?: number; largeBytes?: number };

async function open(
  { maxBodyBytes = megabyte, smallBytes = 4 * megabyte, largeBytes = 8 * megabyte }: Sizes = {},
  limits: FrontLimits = {},
  trusted = '',
) {
  const results: string[] = [];
  const held = { complete: 0, small: 0, large: 0 };
  const count = (name: keyof typeof held, budget: MemoryBudget): MemoryBudget => ({
    take: (bytes, holders) => {
      const isTaken = budget.take(bytes, holders);
      if (isTaken) held[name] += bytes;
      return isTaken;
    },
    give: (bytes, holders) => {
      held[name] -= bytes;
      budget.give(bytes, holders);
    },
  });
  const budgets = createDeliveryBudgets(maxBodyBytes, { smallBytes, largeBytes });
  const range = parseCidr(trusted);
  const clientAddress = createClientAddress(range ? [range] : []);
  let events = 0;
  const ingest = createIngest({
    capture: {
      record: async ({ seq }, { receivedAt }) => {
        const id = `evt_${++events}`;
        return { seq: events, id, endpoint: seq, receivedAt, eventType: null, answer: null };
      },
    },
    countIfPaused: () => false,
    findEndpoint: token => {
      const seq = endpoints[token];
      return seq === undefined ? undefined : { seq, token };
    },
    clientAddress,
    maxBodyBytes,
    budgets: {
      complete: count('complete', budgets.complete),
      small: count('small', budgets.small),
      large: count('large', budgets.large),
    },
    clock: { now: () => 0, monotonic: () => 0 },
    onResult: result => results.push(result),
    onError: error => {
      throw error;
    },
  });
  front = createFront({
    ingest,
    fetch: () => new Response(),
    clientAddress,
    limits,
    onError: error => {
      throw error;
    },
  });
  const origin = `http://127.0.0.1:${await front.listen(0, '127.0.0.1')}`;
  const head = (token: string, length: number, fields: string): string =>
    `POST /in/${token} HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n${fields}\r\n`;
  return {
    held,
    results,
    /** Declares a body of `declared` bytes, sends `sent` of them, and stalls. */
    stall: async (from: string, token: string, declared: number, sent: number, fields = ''): Promise<Wire> => {
      const wire = await openWire(origin, from);
      wires.push(wire);
      wire.write(head(token, declared, fields));
      wire.write('x'.repeat(sent));
      return wire;
    },
    /** Sends a complete delivery. @returns the status of the response */
    send: async (from: string, token: string, bytes: number, fields = ''): Promise<number> => {
      const answer = await exchange(origin, head(token, bytes, fields) + 'x'.repeat(bytes), from);
      return Number(answer.split(' ')[1]);
    },
    /** Like `send`, but the body follows some time after the head. */
    sendInTwo: async (from: string, token: string, bytes: number): Promise<number> => {
      const wire = await openWire(origin, from);
      const before = held.small;
      wire.write(`${head(token, bytes, '')}x`);
      await eventually(() => held.small > before);
      wire.write('x'.repeat(bytes - 1));
      const answer = await wire.until(/\}$/);
      wire.destroy();
      return Number(answer.split(' ')[1]);
    },
  };
}

/** More than half of a body of 1 MB, so that memory for all of it is reserved. */
const moreThanHalf = 600 * kilobyte;
const large = 900 * kilobyte;

describe('large uploads that stall, from one address to one endpoint', () => {
  test('leave room for small deliveries, and for large ones from other addresses to other endpoints', async () => {
    const { held, results, stall, send, sendInTwo } = await open();
    for (let i = 0; i < 8; i++) await stall(attacker, 'a', megabyte, moreThanHalf);
    await eventually(() => held.large === 4 * megabyte && results.length === 4);
    expect(results).toEqual(['refused', 'refused', 'refused', 'refused']);

    for (const from of [attacker, other])
      for (const token of ['a', 'b'])
        expect([await send(from, token, 2000), await sendInTwo(from, token, 2000)]).toEqual([200, 200]);
    expect(await send(other, 'b', large)).toBe(200);
    // The shares of this address and of this endpoint are used up.
    expect([await send(attacker, 'b', large), await send(other, 'a', large)]).toEqual([503, 503]);
  });

  test('of several addresses to several endpoints leave room for one from another address', async () => {
    const { held, stall, send, results } = await open();
    for (let i = 0; i < 6; i++) await stall(attacker, 'a', megabyte, moreThanHalf);
    for (let i = 0; i < 6; i++) await stall(other, 'b', megabyte, moreThanHalf);
    await eventually(() => results.length === 6);
    expect(held.large).toBe(6 * megabyte);
    expect(await send(third, 'c', large)).toBe(200);
  });

  test('two of a raised maximum size leave room for another sender', async () => {
    const { held, stall, send, results } = await open({ maxBodyBytes: 2 * megabyte, largeBytes: 6 * megabyte });
    for (let i = 0; i < 2; i++) await stall(attacker, 'a', 2 * megabyte, 1800 * kilobyte);
    await eventually(() => results.length === 1);
    expect(held.large).toBe(2 * megabyte);
    expect(await send(other, 'b', 2 * megabyte)).toBe(200);
  });

  test('release their memory when they end', async () => {
    const { held, stall, send } = await open();
    for (let i = 0; i < 4; i++) await stall(attacker, 'a', megabyte, moreThanHalf);
    await eventually(() => held.large === 4 * megabyte);
    for (const wire of wires) wire.destroy();
    await eventually(() => held.large === 0);
    expect(await send(attacker, 'a', large)).toBe(200);
    expect(held).toEqual({ complete: 0, small: 0, large: 0 });
  });
});

describe('small deliveries that stall', () => {
  test('use up the share of their address; others and complete deliveries are accepted', async () => {
    const { held, results, stall, send, sendInTwo } = await open({ smallBytes: megabyte });
    // The fast path reads the first ones, up to the share. The HTTP server then refuses the others.
    for (let i = 0; i < 8; i++) await stall(attacker, 'a', 200 * kilobyte, 150 * kilobyte);
    await eventually(() => results.filter(result => result === 'refused').length >= 4);
    expect(held.small).toBeLessThanOrEqual(megabyte / 2);
    expect(await send(attacker, 'a', 2000)).toBe(200);
    expect(await sendInTwo(other, 'a', 100 * kilobyte)).toBe(200);
  });

  test('count for the client behind a trusted proxy', async () => {
    const { held, results, stall, send } = await open({}, {}, '127.0.0.0/8');
    const from = (address: string): string => `X-Forwarded-For: ${address}\r\n`;
    // Each uses another address of the same IPv6 network.
    for (let i = 1; i <= 8; i++) await stall(attacker, 'a', megabyte, moreThanHalf, from(`2001:db8::${i}`));
    await eventually(() => held.large === 4 * megabyte && results.length === 4);
    expect(await send(attacker, 'b', large, from('2001:db8::9'))).toBe(503);
    expect(await send(attacker, 'b', large, from('2001:db8:0:1::1'))).toBe(200);
  });

  test('a chunked body counts as small until it is larger', async () => {
    const { held, stall } = await open();
    const wire = await stall(attacker, 'a', 0, 0);
    wire.write('POST /in/a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n');
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
    wire.write(chunk);
    await eventually(() => held.small >= 0x10000);
    expect(held.large).toBe(0);
    for (let i = 0; i < 4; i++) wire.write(chunk);
    await eventually(() => held.large >= 0x50000);
    expect(held.small).toBe(0);
  });
});

describe('the memory of an incomplete delivery is what the budget counts', () => {
  const heap = () => {
    Bun.gc(true);
    return heapStats();
  };

  test('when it arrives in very small chunks', async () => {
    const { held, stall } = await open();
    const objects = () => heap().objectTypeCounts['Uint8Array'] ?? 0;
    const wire = await stall(attacker, 'a', 100 * kilobyte, 1);
    await eventually(() => held.small > 0);
    const before = objects();
    for (let i = 0; i < 300; i++) {
      const last = held.small;
      wire.write('x');
      await eventually(() => held.small > last);
    }
    expect(objects() - before).toBeLessThan(100);
  });

  test('when much other data arrives with its first bytes', async () => {
    const { held, results, stall } = await open();
    const before = heap().extraMemorySize;
    for (let i = 0; i < 20; i++) {
      const wire = await stall(attacker, 'a', 0, 0);
      await eventually(() => results.length === 2 * i + 1);
      const body = 'x'.repeat(200 * kilobyte);
      const first = `POST /in/a HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
      wire.write(`${first}POST /in/a HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nx`);
      await eventually(() => results.length === 2 * i + 2);
    }
    await eventually(() => held.small > 0);
    expect(heap().extraMemorySize - before).toBeLessThan(megabyte);
  });
});

describe('408 for a body', () => {
  const never = 3_600_000;
  const lateAnswer = /^HTTP\/1\.1 408 [\s\S]*\{"error":"the request did not arrive in time"\}$/;

  test.each([
    ['small, no more bytes arrive', 1000, 500],
    ['large, no more bytes arrive', megabyte, moreThanHalf],
  ])('%s that stalls, and its memory is released', async (_name, declared, sent) => {
    const bodyPace = { silence: 50, grace: never, window: never, bytesPerSecond: 1 };
    const { held, stall, send } = await open({}, { tickMs: 5, bodyPace });
    const wire = await stall(attacker, 'a', declared, sent);
    await wire.closed;
    expect(wire.received()).toMatch(lateAnswer);
    await eventually(() => held.small + held.large === 0);
    expect(await send(attacker, 'a', large)).toBe(200);
  });

  test.each([
    ['small', 100_000],
    ['large', megabyte],
  ])('%s, that arrives too slowly', async (_name, declared) => {
    const bodyPace = { silence: never, grace: 20, window: 50, bytesPerSecond: 1 << 30 };
    const { stall } = await open({}, { tickMs: 5, bodyPace });
    const wire = await stall(attacker, 'a', declared, 1);
    const drip = setInterval(() => wire.write('x'), 5);
    await wire.closed.finally(() => clearInterval(drip));
    expect(wire.received()).toMatch(lateAnswer);
  });
});
