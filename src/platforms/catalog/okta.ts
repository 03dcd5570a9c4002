import { json } from '../engine/handshake-answers.ts';
import type { Platform } from '../engine/platform.ts';
import { token } from '../engine/schemes.ts';

export const okta: Platform = {
  name: 'okta',
  title: 'Okta',
  docsUrl: 'https://developer.okta.com',
  detect: [
    { anyHeader: ['x-okta-verification-challenge'], order: 40 },
    { json: { eventType: 'com.okta.event_hook', 'data.events.0': true }, order: 40 },
  ],
  eventType: ['json:data.events.0.eventType', 'json:eventType'],
  signatures: [token('authorization')],
  secretHint: 'Workflow > Event Hooks > the hook > Authentication secret',
  handshakes: [
    {
      description: '`GET` with `X-Okta-Verification-Challenge`: the value is sent back.',
      when: { method: 'GET', header: 'x-okta-verification-challenge' },
      answer: ({ reader }) => {
        const verification = reader.header('x-okta-verification-challenge') ?? '';
        return verification.length <= 4096 ? json({ verification }) : null;
      },
    },
  ],
};
