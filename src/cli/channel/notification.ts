/*
 * The notification about one event. Clients show it to the model as `<channel …>CONTENT</channel>`, with the meta as attributes.
 * Strangers choose most of the text in it, so no text can close the tag, end an attribute or hide characters, and the content
 * begins with a warning.
 */
import { decodeUtf8Leniently, firstBytes, firstCharacters } from '../../core/text.ts';
import type { FeedEvent } from '../../features/feed/model.ts';
import { untrustedNotice } from '../../shared/untrusted.ts';
import { safeText, sizeText } from '../client/output.ts';

/** Clients drop names with anything but letters, digits and `_`. A value is empty if it is not known. */
type Meta = Record<'id' | 'endpoint' | 'type' | 'platform' | 'verdict' | 'received_at', string>;
export type ChannelNotification = { content: string; meta: Meta };

const maxBodyBytes = 4096;
const maxValueCharacters = 128;

/** Quotes, angle brackets, controls, and characters that are invisible or reorder a text. */
const unfitForAttribute = /[\p{Pi}\p{Pf}\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Surrogate}"'`´<>＂＇＜＞]/gu;
/** Invisible characters could hide instructions from a person who reads along. Variation selectors are parts of emoji. */
const invisible = /(?![\ufe00-\ufe0f])\p{Default_Ignorable_Code_Point}/gu;

const attribute = (text: string | null): string =>
  firstCharacters(text ?? '', maxValueCharacters).replace(unfitForAttribute, '_');

export function notificationOf(endpointName: string, event: FeedEvent): ChannelNotification {
  const { body, isCut } = bodyOf(event);
  const rest = isCut ? ` This is the beginning of ${sizeText(event.size)}; get_event has the rest.` : '';
  return {
    content: `${untrustedNotice}${rest}\n\n${body}`,
    meta: {
      id: event.id,
      endpoint: attribute(endpointName),
      type: attribute(event.eventType),
      platform: attribute(event.platform),
      verdict: event.verdict ?? '',
      received_at: new Date(event.receivedAt).toISOString(),
    },
  };
}

function bodyOf({ size, payloadRaw, payloadEncoding }: FeedEvent): { body: string; isCut: boolean } {
  if (typeof payloadRaw !== 'string') return { body: '(the body is damaged on the server)', isCut: false };
  if (size === 0) return { body: '(no body)', isCut: false };
  if (payloadEncoding !== 'utf8') return { body: `(${sizeText(size)} of binary data)`, isCut: false };
  // No replacement is shorter than what it replaces, so later characters could not fit anyway.
  const start = firstCharacters(payloadRaw, maxBodyBytes);
  const bytes = Buffer.from(safeText(start).replace(invisible, '\ufffd').replace(/[<＜]/g, '‹').replace(/[>＞]/g, '›'));
  return {
    body: decodeUtf8Leniently(firstBytes(bytes, maxBodyBytes)),
    isCut: bytes.length > maxBodyBytes || start.length < payloadRaw.length,
  };
}
