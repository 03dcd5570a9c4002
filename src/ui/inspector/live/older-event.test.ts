import { describe, expect, test } from 'bun:test';
import type { EventPage, EventSummary } from '../../../features/events/model.ts';
import { findOlder, isOlder } from './older-event.ts';

const at = Date.UTC(2026, 10, 22, 14);
const event = (id: string, receivedAt: number): EventSummary => ({ id, receivedAt }) as EventSummary;
const page = (events: EventSummary[], nextCursor: string | null = null): EventPage => ({
  events,
  nextCursor,
  scannedTo: null,
});

describe('the next older event', () => {
  test('is the first one before the place, also in the same millisecond', async () => {
    const events = [event('evt_3', at), event('evt_2', at), event('evt_1', at), event('evt_0', at - 5)];
    const asked: string[] = [];
    const fetchPage = async (where: string): Promise<EventPage> => {
      asked.push(where);
      return page(events);
    };
    const found = await findOlder({
      where: 'type:a OR type:b',
      term: 'verdict:invalid',
      than: event('evt_2', at),
      fetchPage,
    });
    expect(found?.id).toBe('evt_1');
    expect(asked).toEqual(['(type:a OR type:b) verdict:invalid received<=2026-11-22T14:00:00.000Z']);
  });

  test('is looked for on further pages, until there are no more or it is not wanted any more', async () => {
    const pages: Record<string, EventPage> = {
      first: page([], 'a'),
      a: page([event('evt_9', at)], 'b'),
      b: page([event('evt_1', at - 9)], 'c'),
    };
    const asked: (string | undefined)[] = [];
    const fetchPage = async (_: string, cursor: string | undefined): Promise<EventPage> => {
      asked.push(cursor);
      return pages[cursor ?? 'first'] ?? page([]);
    };
    const than = event('evt_5', at);
    expect((await findOlder({ where: '', than, fetchPage }))?.id).toBe('evt_1');
    expect(asked).toEqual([undefined, 'a', 'b']);
    expect(await findOlder({ where: '', than: event('evt_0', at - 20), fetchPage })).toBeUndefined();
    asked.length = 0;
    await findOlder({ where: '', than, fetchPage, isOver: () => asked.length === 1 });
    expect(asked).toHaveLength(1);
  });

  test('an event is not older than itself', () => expect(isOlder(event('evt_1', at), event('evt_1', at))).toBe(false));
});
