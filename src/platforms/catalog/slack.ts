import { echoJsonChallenge } from '../engine/handshakes.ts';
import type { Platform } from '../engine/platform.ts';
import { formJson } from '../engine/readers.ts';
import { hmac } from '../engine/schemes.ts';

export const slack: Platform = {
  name: 'slack',
  title: 'Slack',
  docsUrl: 'https://docs.slack.dev',
  setup: {
    where: 'the app > Event Subscriptions > Enable Events > Request URL',
    url: 'https://docs.slack.dev/apis/events-api/using-http-request-urls',
  },
  detect: [
    { anyHeader: ['x-slack-signature', 'x-slack-request-timestamp'], order: 20 },
    { methods: ['POST'], json: { type: 'url_verification', challenge: true }, order: 50 },
  ],
  eventType: ['json:event.type', 'json:type', 'form:command', formJson('payload', 'type')],
  deliveryId: [{ body: 'event_id', source: 'https://docs.slack.dev/apis/events-api/' }],
  action: ['event.subtype'],
  preview: [
    ['event.text', 'text'],
    ['event.user', 'user_name'],
    ['event.channel', 'event.item.channel', 'channel_name'],
    ['event.reaction', 'command'],
  ],
  signatures: [
    hmac('x-slack-signature', {
      prefix: 'v0=',
      message: 'v0:{x-slack-request-timestamp}:{body}',
      timestamp: { from: 'header:x-slack-request-timestamp', unit: 's', toleranceSeconds: 300 },
    }),
  ],
  secretHint: 'The app > Basic Information > App Credentials > Signing Secret',
  handshakes: [echoJsonChallenge],
};
