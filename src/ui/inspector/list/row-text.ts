/* What a row of the event list says: its title, the line that matters, and what needs a look. Pure. */

import type { EventSummary } from '../../../features/events/model.ts';
import { shortened, visibleLine, visiblePreview } from '../../kit/format/visible.ts';
import { describeAttempts, failureOf } from '../event/answered.ts';

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

/** What matters in the payload and is not in the title, else its beginning. Binary data is named, not shown as garbled text. */
export function previewOf(event: Previewed): { text: string; isInWords: boolean } {
  const { action, payloadPreview, size } = event;
  const highlights = event.highlights.filter(text => text !== action);
  if (highlights.length > 0) return { text: visiblePreview(highlights.join(' · ')), isInWords: true };
  const isBinary = /[\0\ufffd]/.test(payloadPreview);
  if (size === 0 || isBinary) return { text: size === 0 ? 'No body' : 'Binary data', isInWords: true };
  return { text: visiblePreview(payloadPreview), isInWords: false };
}

const signatures: Record<NonNullable<EventSummary['verdict']>, string> = {
  valid: 'Signature valid',
  invalid: 'Invalid signature',
  unchecked: 'Signature not checked',
  none: 'No signature',
};

export const signatureOf = ({ verdict }: Pick<EventSummary, 'verdict'>): string | undefined =>
  verdict === null ? undefined : signatures[verdict];

/** `count`: the row represents all attempts of a delivery; `place`: one attempt; `none`: the row says which one elsewhere. */
export type ShownAttempts = 'count' | 'place' | 'none';
type Exception = { tone: 'bad' | 'warn'; text: string };
type Exceptional = Pick<EventSummary, 'verdict' | 'refused' | 'answered' | 'delivery'>;

/** What needs a look: `Invalid signature`, else `Refused 405`, else `3 attempts · 500`. Undefined when everything went as usual. */
export function exceptionOf(event: Exceptional, shown: ShownAttempts): Exception | undefined {
  const { verdict, refused, answered, delivery } = event;
  if (verdict === 'invalid') return { tone: 'bad', text: signatures.invalid };
  if (refused !== null) return { tone: 'warn', text: `Refused ${refused}` };
  const attempts = shown === 'none' || delivery.attempts < 2 ? '' : attemptsText(delivery, shown);
  const failure = failureOf(answered);
  if (attempts !== '') return { tone: 'warn', text: failure === undefined ? attempts : `${attempts} · ${failure}` };
  if (failure === undefined) return undefined;
  return { tone: 'warn', text: `${answered.status === null ? 'Connection' : 'Answered'} ${failure}` };
}

const attemptsText = ({ attempt, attempts }: EventSummary['delivery'], shown: ShownAttempts): string =>
  shown === 'count' ? describeAttempts(attempts, undefined) : `Attempt ${attempt} of ${attempts}`;
