import { echoJsonChallenge } from '../engine/handshakes.ts';
import type { Platform } from '../engine/platform.ts';
import { jwt } from '../engine/schemes.ts';

export const monday: Platform = {
  name: 'monday',
  title: 'monday.com',
  docsUrl: 'https://developer.monday.com',
  setup: {
    where: 'the board > Automations Center > Integrations > Webhooks > URL',
    url: 'https://developer.monday.com/api-reference/docs/webhooks',
  },
  detect: [
    { json: { challenge: true }, keyCount: 1, order: 40 },
    { json: { 'event.type': true, 'event.subscriptionId': true }, order: 40 },
    { json: { 'event.type': true, 'event.boardId': true }, order: 40 },
  ],
  eventType: ['json:event.type'],
  preview: ['event.pulseName', 'event.columnTitle', ['event.value.label.text', 'event.textBody'], 'event.boardId'],
  signatures: [
    jwt('authorization', 'jwt-hs256', {
      note: 'webhooks of an app; the body is not covered',
    }),
  ],
  secretHint: 'Developer Center > the app > Basic information > Signing secret',
  handshakes: [echoJsonChallenge],
};
