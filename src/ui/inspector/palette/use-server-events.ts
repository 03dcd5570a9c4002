/* Asks the server for events when none of the loaded ones fits what was typed: by id, by the name of a pin, or as a filter. */

import { useEffect, useRef, useState } from 'preact/hooks';
import type { EventSummary } from '../../../features/events/model.ts';
import { ApiError, api } from '../../kit/api.ts';
import { messageOf } from '../../kit/toasts.tsx';
import { problemIn } from '../filter/filter-text.ts';
import type { OpenedEvent } from './items.ts';

const delayMs = 250;
const maxFound = 20;
const maxPinned = 100;
const eventIdPattern = /^evt_[0-9a-z]{20,40}$/i;

/** An event that was found by its id may belong to another endpoint. */
export type FoundEvent = OpenedEvent & { endpointId?: string };
type ServerEvents = { events: readonly FoundEvent[]; isBusy: boolean; problem: string };

const none: ServerEvents = { events: [], isBusy: false, problem: '' };

/**
 * @param endpointId empty when no endpoint is open: then only an id can be found
 * @param text empty when there is nothing to ask
 */
export function useServerEvents(endpointId: string, text: string): ServerEvents {
  const [answer, setAnswer] = useState({ ...none, text: '' });
  const pinned = useRef<Promise<EventSummary[]> | undefined>(undefined);
  useEffect(() => {
    if (text === '') return;
    let isOver = false;
    const loadPinned = (): Promise<EventSummary[]> => {
      pinned.current ??= api.events(endpointId, undefined, 'is:pinned', { limit: maxPinned }).then(page => page.events);
      // A failure is not kept: the next text asks again.
      pinned.current.catch(() => {
        pinned.current = undefined;
      });
      return pinned.current;
    };
    const ask = async (): Promise<void> => {
      const found = await find(endpointId, text, loadPinned).then(
        events => ({ ...none, events }),
        (error: unknown) => ({ ...none, problem: messageOf(error) }),
      );
      if (!isOver) setAnswer({ ...found, text });
    };
    const timer = setTimeout(ask, delayMs);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [endpointId, text]);
  return answer.text === text ? answer : { ...none, isBusy: text !== '' };
}

type Pinned = () => Promise<EventSummary[]>;

async function find(endpointId: string, text: string, loadPinned: Pinned): Promise<FoundEvent[]> {
  if (eventIdPattern.test(text)) return findById(text.toLowerCase());
  if (endpointId === '') return [];
  const name = text.replace(/^@/, '').toLowerCase();
  const isFilter = !text.startsWith('@') && !problemIn(text);
  const [pinned, matching] = await Promise.all([
    loadPinned(),
    isFilter ? api.events(endpointId, undefined, text, { limit: maxFound }).then(page => page.events) : [],
  ]);
  const found = [...pinned.filter(({ pin }) => pin?.name?.includes(name)), ...matching];
  const unique = new Map(found.map(event => [event.id, event]));
  return [...unique.values()].slice(0, maxFound);
}

async function findById(id: string): Promise<FoundEvent[]> {
  try {
    return [await api.event(id)];
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return [];
    throw error;
  }
}
