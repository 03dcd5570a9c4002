/* A preview of a filter that matches rarely: the search for its events takes several pages. */
import { expect, test } from 'bun:test';
import { eventId } from '../../core/ids/ids.ts';
import type { EventSummary } from '../events/model.ts';
import { createRequestPreview } from './preview.ts';

const principal = { accountId: 'acc_1', teamId: 'team_1', plan: 'free' } as never;
const summary = (seq: number) => ({ id: eventId(seq, new Uint8Array(12)), size: 1 }) as EventSummary;

/** @param pages by cursor @param msPerPage how long each takes */
function previewOf(pages: readonly { seqs: number[]; nextCursor: string | null }[], msPerPage: number) {
  const asked: object[] = [];
  let at = 0;
  const preview = createRequestPreview({
    async list(_, { limit, cursor }) {
      asked.push({ limit, cursor });
      at += msPerPage;
      const { seqs, nextCursor } = pages[Number(cursor ?? 0)] ?? { seqs: [], nextCursor: null };
      return { events: seqs.map(summary), nextCursor };
    },
    async *contents(_, __, events) {
      for (const { seq } of events) yield { seq, query: null, headers: [], body: Buffer.from(`${seq}`) };
    },
    contentReads: { run: (_: unknown, read: (by: unknown) => unknown) => read(undefined) } as never,
    aboutEvent: async () => ({ endpoint: 'shop', link: '' }),
    clock: { now: () => 0, monotonic: () => at },
  });
  const request = { contentType: 'text/plain', body: '{{raw}}' };
  const bodies = async () => (await preview(principal, 'ep_1', { request, limit: 3 })).events.map(({ body }) => body);
  return { bodies, asked };
}

const pages = [
  { seqs: [90], nextCursor: '1' },
  { seqs: [], nextCursor: '2' },
  { seqs: [7, 5], nextCursor: '3' },
  { seqs: [1], nextCursor: null },
];

test('a search that takes several pages goes on until there are enough events', async () => {
  const { bodies, asked } = previewOf(pages, 250);
  expect(await bodies()).toEqual(['90', '7', '5']);
  expect(asked).toEqual([
    { limit: '3', cursor: undefined },
    { limit: '2', cursor: '1' },
    { limit: '2', cursor: '2' },
  ]);
});

test('it ends after some seconds with what it has', async () => {
  expect(await previewOf(pages, 3000).bodies()).toEqual(['90']);
});
