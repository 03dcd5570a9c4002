import type { DeliveryReader } from '../engine/delivery-reader.ts';
import { confirmSubscription } from '../engine/handshakes.ts';
import type { Platform } from '../engine/platform.ts';
import { textBetween } from '../engine/readers.ts';
import { namedHashHmac } from '../engine/schemes.ts';

export const websub: Platform = {
  name: 'websub',
  title: 'WebSub',
  docsUrl: 'https://www.w3.org/TR/websub/',
  detect: [
    { methods: ['GET'], query: { 'hub.mode': true, 'hub.topic': true, 'hub.challenge': true }, order: 70 },
    { headerValues: { link: /rel="?hub\b/i }, order: 70 },
  ],
  eventType: ['query:hub.mode', { description: 'topic in the `Link` header', read: readTopic }],
  signatures: [namedHashHmac('x-hub-signature', { label: 'websub' })],
  secretHint: 'The hub.secret you gave when you subscribed',
  handshakes: [confirmSubscription],
};

function readTopic(reader: DeliveryReader): string | undefined {
  const links = (reader.header('link') ?? '').slice(0, 4096).split(',');
  const self = links.find(link => /rel="?self\b/i.test(link));
  return self === undefined ? undefined : textBetween(self, '<', '>');
}
