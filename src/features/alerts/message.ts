/*
 * The text of a notification. Names of alerts, endpoints, types and fields come from outside: control characters and characters
 * that reorder text are removed here, and each channel escapes what it would take for markup.
 */

import { newId, type RandomBytes } from '../../core/ids/ids.ts';
import { firstCharacters, isPlainText } from '../../core/text.ts';
import type { Change, Notice } from './conditions.ts';
import type { AlertRow } from './store.ts';

export type MessageType = Notice['type'] | 'alert.test';

/** A notification as it is queued. `id` is the same for each attempt. */
export type Notification = {
  id: string;
  type: MessageType;
  /** Epoch ms. */
  at: number;
  reason: string;
  items: readonly string[];
  count: number | null;
  held: number;
};

export type Message = Notification & {
  alert: { id: string; name: string; kind: string };
  endpoint: { id: string; name: string };
  /** The endpoint in the dashboard. */
  link: string;
};

const maxTextCharacters = 200;

/** The text on one short line, without invisible characters. */
export function plainLine(text: string): string {
  const shown = isPlainText(text) ? text : [...text].map(one => (isPlainText(one) ? one : '\ufffd')).join('');
  const start = firstCharacters(shown, maxTextCharacters);
  return start === shown ? start : `${start}…`;
}

const words: Record<MessageType, string> = {
  'alert.fired': 'Alert',
  'alert.resolved': 'Resolved',
  'alert.test': 'Test',
};

export const titleOf = ({ type, alert, endpoint }: Message): string =>
  `${words[type]}: ${plainLine(alert.name)} (${plainLine(endpoint.name)})`;

/** The lines below the title, without the link. */
export function linesOf({ reason, items, count, held }: Pick<Notice, 'reason' | 'items' | 'count' | 'held'>): string[] {
  const more = items.length > 0 && count !== null ? count - items.length : 0;
  return [
    reason,
    ...items.map(line => `- ${plainLine(line)}`),
    ...(more > 0 ? [`- and ${more} more`] : []),
    ...(held > 0
      ? [`Since the last notification, the condition changed ${held} more ${held === 1 ? 'time' : 'times'}.`]
      : []),
  ];
}

/** A change of the state of an alert as it is stored for agents. @param at epoch ms */
export function toChangeRow(
  { id: alertId, name: alertName, endpoint, kind }: Pick<AlertRow, 'id' | 'name' | 'endpoint' | 'kind'>,
  { firing, ...lines }: Change,
  { at, random }: { at: number; random: RandomBytes },
) {
  const text = linesOf({ ...lines, held: 0 }).join('\n');
  return { id: newId('alc', at, random), endpoint, alertId, alertName, kind, firing, text, at };
}
