import { valueAt } from '../engine/delivery-reader.ts';
import { plainText } from '../engine/handshake-answers.ts';
import type { Platform } from '../engine/platform.ts';
import { hmac } from '../engine/schemes.ts';
import { isNonEmptyString } from '../engine/signature-values.ts';

export const twitch: Platform = {
  name: 'twitch',
  title: 'Twitch EventSub',
  docsUrl: 'https://dev.twitch.tv/docs',
  setup: {
    where: 'the API call POST /eventsub/subscriptions, field transport.callback',
    url: 'https://dev.twitch.tv/docs/eventsub/handling-webhook-events/',
  },
  detect: [{ anyHeader: ['twitch-eventsub-message-id', 'twitch-eventsub-message-type'], order: 20 }],
  eventType: ['header:twitch-eventsub-subscription-type', 'json:subscription.type'],
  deliveryId: [
    { header: 'Twitch-Eventsub-Message-Id', source: 'https://dev.twitch.tv/docs/eventsub/handling-webhook-events/' },
  ],
  preview: [
    ['event.broadcaster_user_name', 'event.to_broadcaster_user_name'],
    ['event.user_name', 'event.from_broadcaster_user_name'],
    ['event.message.text', 'event.reward.title', 'event.title'],
    ['event.category_name', 'event.tier'],
  ],
  signatures: [
    hmac('twitch-eventsub-message-signature', {
      prefix: 'sha256=',
      message: '{twitch-eventsub-message-id}{twitch-eventsub-message-timestamp}{body}',
      timestamp: { from: 'header:twitch-eventsub-message-timestamp', unit: 'rfc3339', toleranceSeconds: 600 },
    }),
  ],
  secretHint: 'The secret you gave when you created the subscription',
  handshakes: [
    {
      description: '`webhook_callback_verification`: Hooktape returns the challenge.',
      when: { method: 'POST', header: 'twitch-eventsub-message-type', value: /^webhook_callback_verification$/ },
      answer: request => {
        const challenge = valueAt(request.json(), 'challenge');
        return isNonEmptyString(challenge) ? plainText(challenge) : null;
      },
    },
  ],
};
