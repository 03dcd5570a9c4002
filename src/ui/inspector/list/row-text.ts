/* What a row of the event list says: its title, the line that matters, and the verdict. Pure. */

import type { EventSummary } from '../../../features/events/model.ts';
import { shortened, visibleLine, visiblePreview } from '../../kit/format/visible.ts';
import type { Verdict } from '../event/verdict.ts';

const maxTypeCharacters = 120;

/** `pull_request · opened`; without a type the path. */
export function titleOf({ eventType, action, path }: Pick<EventSummary, 'eventType' | 'action' | 'path'>): {
  text: string;
  isTyped: boolean;
} {
  const parts = [eventType, action].filter(part => part !== null);
  if (parts.length === 0) return { text: path === '' ? 'No event type' : visibleLine(path), isTyped: false };
  return { text: visiblePreview(parts.map(part => shortened(part, maxTypeCharacters)).join(' · ')), isTyped: true };
}

type Previewed = Pick<EventSummary, 'highlights' | 'action' | 'payloadPreview' | 'size'>;

/** What matters in the payload and is not in the title, else its beginning. Binary data is shown as such, not as garbled text. */
export function previewOf(event: Previewed): { text: string; isHighlights: boolean } {
  const { action, payloadPreview, size } = event;
  const highlights = event.highlights.filter(text => text !== action);
  if (highlights.length > 0) return { text: visiblePreview(highlights.join(' · ')), isHighlights: true };
  const isBinary = /[\0\ufffd]/.test(payloadPreview);
  return {
    text: size === 0 ? 'no body' : isBinary ? 'binary data' : visiblePreview(payloadPreview),
    isHighlights: false,
  };
}

const verdicts: Record<NonNullable<EventSummary['verdict']>, Pick<Verdict, 'tone' | 'label'> | undefined> = {
  valid: { tone: 'good', label: 'Valid' },
  invalid: { tone: 'bad', label: 'Invalid' },
  unchecked: { tone: 'muted', label: 'Not checked' },
  none: undefined,
};

/** The short form for a row; undefined without a signature. */
export const rowVerdictOf = ({
  verdict,
}: Pick<EventSummary, 'verdict'>): Pick<Verdict, 'tone' | 'label'> | undefined =>
  verdict === null ? undefined : verdicts[verdict];
