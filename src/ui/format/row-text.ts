/* What a row of the event list says: its title, the line that matters, and the verdict. Pure. */

import type { EventSummary } from '../../features/events/model.ts';
import type { Verdict } from './verdict.ts';
import { shortened, visibleLine, visiblePreview } from './visible.ts';

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
export function previewOf({ highlights, action, payloadPreview, size }: Previewed): string {
  if (highlights.length > 0) return visiblePreview(highlights.filter(text => text !== action).join(' · '));
  if (size === 0) return 'no body';
  return /[\0\ufffd]/.test(payloadPreview) ? 'binary data' : visiblePreview(payloadPreview);
}

const verdicts: Record<EventSummary['verdict'], Pick<Verdict, 'tone' | 'label'> | undefined> = {
  valid: { tone: 'good', label: 'Valid' },
  invalid: { tone: 'bad', label: 'Invalid' },
  unchecked: { tone: 'muted', label: 'Not checked' },
  none: undefined,
};

/** The short form for a row; undefined without a signature. */
export const rowVerdictOf = ({ verdict }: Pick<EventSummary, 'verdict'>): Pick<Verdict, 'tone' | 'label'> | undefined =>
  verdicts[verdict];
