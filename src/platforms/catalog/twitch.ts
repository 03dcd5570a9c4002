import type { Platform } from '../engine/model.ts';
import { hmac } from '../engine/schemes.ts';

export const twitch: Platform = {
  name: 'twitch',
  title: 'Twitch EventSub',
  docsUrl: 'https://dev.twitch.tv/docs',
  detect: [{ anyHeader: ['twitch-eventsub-message-id', 'twitch-eventsub-message-type'], order: 20 }],
  eventType: ['header:twitch-eventsub-subscription-type', 'json:subscription.type'],
  signatures: [
    hmac('twitch-eventsub-message-signature', {
      prefix: 'sha256=',
      message: '{twitch-eventsub-message-id}{twitch-eventsub-message-timestamp}{body}',
      time: { from: 'header:twitch-eventsub-message-timestamp', unit: 'rfc3339', toleranceSeconds: 600 },
    }),
  ],
  secretHint: 'The secret you gave when you created the subscription',
  handshake: '`webhook_callback_verification`: the challenge is sent back.',
};
