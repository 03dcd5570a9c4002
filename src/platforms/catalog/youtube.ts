import { youtubeEntry } from '../engine/event-readers.ts';
import type { Platform } from '../engine/model.ts';
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
  eventType: [youtubeEntry, 'query:hub.mode'],
  signatures: [hmac('x-hub-signature', { prefix: 'sha1=', hash: 'sha1' })],
  secretHint: 'The hub.secret you gave when you subscribed',
  handshake: '`GET ?hub.challenge=` with `hub.topic`: the challenge is sent back.',
};
