/* An event as a row of a table. */
import type { EventSummary } from '../../features/events/model.ts';
import { sizeText, timeText } from './output.ts';

export function rowOf(event: EventSummary): string[] {
  const { id, receivedAt, platform, eventType, signatureValid, method, size, pin, tags, payloadPreview } = event;
  const verdict = signatureValid === null ? '' : signatureValid ? 'valid' : 'invalid';
  const marks = [...(pin ? [`@${pin.name ?? ''}`] : []), ...tags.map(tag => `#${tag}`)].join(' ');
  return [
    id,
    timeText(receivedAt),
    platform ?? '',
    eventType ?? '',
    verdict,
    method ?? '',
    sizeText(size),
    marks,
    payloadPreview,
  ];
}
