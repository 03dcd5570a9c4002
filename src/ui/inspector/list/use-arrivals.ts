/* Announces new events: to screen readers, and as a number in the title of a tab that is hidden. */

import { useCallback, useEffect, useState } from 'preact/hooks';
import type { EventSummary } from '../../../features/events/model.ts';
import { visibleLine } from '../../kit/format/visible.ts';
import { useTitle } from '../../kit/page.tsx';

const maxUnseenCount = 999;

export function useArrivals(name: string) {
  const [announcement, setAnnouncement] = useState('');
  const [unseenCount, setUnseenCount] = useState(0);
  const onArrival = useCallback((event: EventSummary): void => {
    setAnnouncement(`New event: ${visibleLine(event.eventType ?? event.method ?? 'delivery')}`);
    if (document.hidden) setUnseenCount(n => Math.min(n + 1, maxUnseenCount));
  }, []);
  useEffect(() => {
    const onVisibility = (): void => {
      if (!document.hidden) setUnseenCount(0);
    };
    document.addEventListener('visibilitychange', onVisibility);
    return () => document.removeEventListener('visibilitychange', onVisibility);
  }, []);
  useTitle(`${unseenCount > 0 ? `(${unseenCount}) ` : ''}${name}`);
  return { announcement, onArrival };
}
