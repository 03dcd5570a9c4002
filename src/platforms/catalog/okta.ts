import { json } from '../engine/handshake-answers.ts';
import type { Platform } from '../engine/platform.ts';
import { token } from '../engine/schemes.ts';

export const okta: Platform = {
  name: 'okta',
  title: 'Okta',
  docsUrl: 'https://developer.okta.com',
  setup: {
    where: 'Workflow > Event Hooks > Create Event Hook > URL',
    url: 'https://developer.okta.com/docs/concepts/event-hooks/',
  },
  detect: [
    { anyHeader: ['x-okta-verification-challenge'], order: 40 },
    { json: { eventType: 'com.okta.event_hook', 'data.events.0': true }, order: 40 },
  ],
  eventType: ['json:data.events.0.eventType', 'json:eventType'],
  deliveryId: [{ body: 'eventId', source: 'https://developer.okta.com/docs/concepts/event-hooks/' }],
  preview: [
    'data.events.0.actor.alternateId',
    'data.events.0.target.0.alternateId',
    'data.events.0.displayMessage',
    'data.events.0.outcome.result',
  ],
  signatures: [token('authorization')],
  secretHint: 'Workflow > Event Hooks > the hook > Authentication secret',
  handshakes: [
    {
      description: '`GET` with `X-Okta-Verification-Challenge`: Hooktape returns the value.',
      when: { method: 'GET', header: 'x-okta-verification-challenge' },
      answer: ({ reader }) => {
        const verification = reader.header('x-okta-verification-challenge') ?? '';
        return verification.length <= 4096 ? json({ verification }) : null;
      },
    },
  ],
};
