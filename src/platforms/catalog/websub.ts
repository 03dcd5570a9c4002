import { topicOfLink } from '../engine/event-readers.ts';
import type { Platform } from '../engine/model.ts';
import { customScheme } from '../engine/schemes.ts';

export const websub: Platform = {
  name: 'websub',
  title: 'WebSub',
  docsUrl: 'https://www.w3.org/TR/websub/',
  detect: [
    { methods: ['GET'], query: { 'hub.mode': true, 'hub.topic': true, 'hub.challenge': true }, order: 70 },
    { headerValues: { link: /rel="?hub\b/i }, order: 70 },
  ],
  eventType: ['query:hub.mode', topicOfLink],
  signatures: [customScheme('websub', 'x-hub-signature')],
  secretHint: 'The hub.secret you gave when you subscribed',
  handshake: '`GET ?hub.challenge=` with `hub.topic`: the challenge is sent back.',
};
