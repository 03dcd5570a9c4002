/* The responses to senders when a callback for stored events fails. The rest is in ingest.test.ts. */
import { expect, test } from 'bun:test';
import type { HandshakeAnswer } from '../platforms/engine/model.ts';
import { thrownBy } from '../testing/thrown-by.ts';
import { type CaptureService, createCaptureService } from './capture.ts';
import type { Delivery } from './delivery.ts';

type Options = Parameters<typeof createCaptureService>[0];

const delivery: Delivery = {
  method: 'POST',
  path: '',
  query: null,
  fields: new Uint8Array(0),
  body: new Uint8Array(3),
  sourceIp: '127.0.0.1',
  receivedAt: 1000,
};

function setUp(options: Partial<Options> = {}, answer?: HandshakeAnswer) {
  const errors: unknown[] = [];
  const stored: number[] = [];
  const capture: CaptureService = createCaptureService({
    writeBatch: async ({ deliveries }) => {
      const rows = deliveries.length;
      const first = stored.length + 1;
      for (let i = 0; i < rows; i++) stored.push(first + i);
      return {
        first,
        answers: answer ? [[0, answer]] : [],
        commit: { rows, ms: 1 },
      };
    },
    random: length => new Uint8Array(length),
    destinationOf: ({ seq }) => ({ seq, url: '', secrets: [] }),
    saveLearnedSecret: async () => {},
    onCommit: () => {},
    onStored: () => {},
    onFailure: error => errors.push(error),
    onError: error => errors.push(error),
    ...options,
  });
  const send = (count: number) =>
    Promise.allSettled(Array.from({ length: count }, () => capture.record({ seq: 1, token: 't' }, delivery)));
  return { capture, send, errors, stored };
}

const no = (): never => {
  throw Object.assign(new Error('no'), { code: 'SQLITE_CONSTRAINT' });
};

test.each(['onCommit', 'onStored'] as const)(
  'a failing %s is reported, and neither refuses a delivery nor stores it twice',
  async name => {
    const { send, errors, stored } = setUp({ [name]: no });
    const results = await send(3);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled']);
    expect(stored).toEqual([1, 2, 3]);
    expect(errors.length).toBe(name === 'onStored' ? 3 : 1);
  },
);

test('a signing secret that cannot be registered fails only the delivery that brought it', async () => {
  const learned = { platform: 'asana', secret: 'a-long-secret' };
  const { send, stored } = setUp({ saveLearnedSecret: async () => no() }, {
    status: 200,
    headers: {},
    body: '',
    learnedSecret: learned,
  } as HandshakeAnswer);
  expect((await send(3)).map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
  expect(stored).toEqual([1, 2, 3]);
});

const policy = { rules: { version: 1, rules: [] } };

test('while one delivery is prepared, those of other endpoints are stored', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const { capture, stored } = setUp({
    destinationOf: ({ seq }) => ({ seq, url: '', secrets: [], policy }),
    prepare: ({ seq }) => (seq === 1 ? promise : undefined),
  });
  const slow = capture.record({ seq: 1, token: 'a' }, delivery);
  expect((await capture.record({ seq: 2, token: 'b' }, delivery)).endpoint).toBe(2);
  expect(stored).toEqual([1]);
  resolve();
  expect((await slow).endpoint).toBe(1);
});

test('a delivery that is still prepared when the server stops is refused, not stored too late', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const { capture, stored } = setUp({
    destinationOf: ({ seq }) => ({ seq, url: '', secrets: [], policy }),
    prepare: () => promise,
  });
  const slow = capture.record({ seq: 1, token: 'a' }, delivery);
  await capture.drain();
  resolve();
  expect(await thrownBy(slow)).toThrow('shutting down');
  expect(stored).toEqual([]);
});
