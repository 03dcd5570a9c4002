import { describe, expect, test } from 'bun:test';
import { createFakeSource, summaryOf } from '../../testing/tail-source.ts';
import { thrownBy } from '../../testing/thrown-by.ts';
import { createEventStream } from './event-stream.ts';
import { createTail } from './tail.ts';

const open = ({ heartbeatMs = 10_000 } = {}) => {
  const source = createFakeSource();
  const access = { verify: async () => {}, isDue: () => false };
  const tail = createTail({ source, position: 0, access, isShared: false, monotonic: () => 0 });
  return { source, tail, reader: createEventStream(tail, heartbeatMs).getReader() };
};
const text = (chunk: { value?: Uint8Array | undefined }) => Buffer.from(chunk.value ?? []).toString();

describe('an event stream', () => {
  test('greets, then writes each event as a message with its id, and ends with its tail', async () => {
    const { source, tail, reader } = open();
    expect(text(await reader.read())).toBe(': connected\nretry: 1000\n');
    tail.recorded(source.store());
    expect(text(await reader.read())).toBe(`id: evt_1\nevent: event\ndata: ${JSON.stringify(summaryOf(1))}\n\n`);
    tail.end({ reason: 'shutdown' });
    expect((await reader.read()).done).toBe(true);
  });

  test('writes an empty line only after a message', async () => {
    const { source, tail, reader } = open({ heartbeatMs: 1 });
    let all = text(await reader.read()) + text(await reader.read());
    tail.recorded(source.store());
    while (!all.includes('data:')) all += text(await reader.read());
    all += text(await reader.read());
    tail.close();
    expect(all).toContain(': quiet\nid: evt_1\n');
    expect(all.split('\n\n')).toEqual([expect.stringContaining('\ndata: '), ': quiet\n']);
  });

  test('is aborted when its client has stalled', async () => {
    const { tail, reader } = open();
    await reader.read();
    const waiting = reader.read();
    tail.end({ reason: 'stalled' });
    expect(await thrownBy(waiting)).toThrow('stalled');
  });

  test('is aborted, and closes its tail, when events cannot be read', async () => {
    const { source, tail, reader } = open();
    source.listAfter = () => Promise.reject(new Error('the database does not answer'));
    await reader.read();
    expect(await thrownBy(reader.read())).toThrow('does not answer');
    expect(await tail.ended).toEqual({ reason: 'closed' });
  });

  test('closes its tail when the client disconnects', async () => {
    const { reader, tail } = open();
    await reader.cancel();
    expect(await tail.ended).toEqual({ reason: 'closed' });
  });
});
