import { expect, test } from 'bun:test';
import { readRules } from '../../core/answers/rules.ts';
import { thrownBy } from '../../testing/thrown-by.ts';
import { type PreviewedEvent, previewRules } from './preview.ts';

const event: PreviewedEvent = {
  seq: 1,
  nonce: new Uint8Array(8),
  receivedAt: 1000,
  method: 'POST',
  platform: null,
  eventType: null,
  size: 7,
  sourceIp: '127.0.0.1',
  path: Buffer.from(''),
  query: null,
  headers: [],
  body: Buffer.from('{"a":1}'),
  delivery: null,
  outcome: null,
};
const { active } = readRules({ rules: [{ when: 'body.a:1', answer: { status: 500 } }] });

/** @param perLook how much later it is whenever somebody looks at the clock */
const preview = (perLook: number) => {
  let now = 0;
  const events = (async function* () {
    for (let seq = 1; seq <= 10; seq++) yield { ...event, seq };
  })();
  return previewRules(active, events, {
    handshakeStatus: () => undefined,
    verdictOf: () => 'none',
    monotonic: () => (now += perLook),
    limitMs: 5000,
  });
};

test('filters that take too long end a preview, and it gives no wrong answers', async () => {
  expect((await preview(1)).get(10)).toEqual({ rule: 'rule-1', status: 500 });
  expect(await thrownBy(preview(1000))).toThrow('take too long');
});
