import type { Platform } from '../engine/model.ts';
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
  handshake: '`GET` with `X-Okta-Verification-Challenge`: the value is sent back.',
};
