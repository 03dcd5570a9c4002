/* When the endpoint of an address cannot be looked up, the delivery is refused for now, because the address may exist. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { createFront, type Front } from '../front.ts';
import { exchange } from '../testing/raw-http.ts';
import { createDeliveryBudgets } from './delivery-budgets.ts';
import { createIngest } from './ingest.ts';

let front: Front;
let origin: string;
let errors: unknown[];
let results: string[];
beforeEach(async () => {
  errors = [];
  results = [];
  const ingest = createIngest({
    capture: { record: () => Promise.reject(new Error('unexpected call')) },
    findEndpoint: () => Promise.reject(new Error('the database does not answer')),
    countIfPaused: () => false,
    clientAddress: () => '127.0.0.1',
    maxBodyBytes: 1024,
    budgets: createDeliveryBudgets(1024),
    clock: { now: () => 0, monotonic: () => 0 },
    onResult: result => results.push(result),
    onError: error => errors.push(error),
  });
  front = createFront({
    ingest,
    fetch: () => new Response(),
    clientAddress: () => '127.0.0.1',
    onError: error => errors.push(error),
  });
  origin = `http://127.0.0.1:${await front.listen(0, '127.0.0.1')}`;
});
afterEach(() => front.close(0));

describe('a failed lookup gives 503 with Retry-After and one log line', () => {
  test.each([
    ['for a delivery with Content-Length', 'POST /in/x HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nhi'],
    [
      'for a chunked delivery',
      'POST /in/x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n',
    ],
    ['for HEAD', 'HEAD /in/x HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['for Expect: 100-continue', 'POST /in/x HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n'],
  ])('%s', async (_name, request) => {
    const answer = await exchange(origin, request);
    expect(answer).toMatch(/^HTTP\/1\.1 503 .*\r\nretry-after: 5\r\n/s);
    expect(results).toEqual(['refused']);
    expect(errors).toEqual([new Error('the database does not answer')]);
  });
});
