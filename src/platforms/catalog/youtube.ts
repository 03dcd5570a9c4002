import type { DeliveryReader } from '../engine/delivery-reader.ts';
import { confirmSubscription } from '../engine/handshakes.ts';
import type { Platform } from '../engine/platform.ts';
import { hmac } from '../engine/schemes.ts';

export const youtube: Platform = {
  name: 'youtube',
  title: 'YouTube push notifications',
  docsUrl: 'https://developers.google.com/youtube',
  detect: [
    { bodyText: /<(yt:videoId|at:deleted-entry)[\s>]/, order: 34 },
    {
      methods: ['GET'],
      query: { 'hub.mode': true, 'hub.topic': /^https?:\/\/www\.youtube\.com\/(xml\/)?feeds\// },
      order: 34,
    },
  ],
  eventType: [{ description: '`entry` or `deleted-entry` of the feed', read: readEntryKind }, 'query:hub.mode'],
  signatures: [hmac('x-hub-signature', { prefix: 'sha1=', hash: 'sha1' })],
  secretHint: 'The hub.secret you gave when you subscribed',
  handshakes: [confirmSubscription],
};

function readEntryKind(reader: DeliveryReader): string | undefined {
  const xml = reader.text();
  if (xml.includes('<at:deleted-entry')) return 'deleted-entry';
  return xml.includes('<entry') ? 'entry' : undefined;
}
