import { issuedByNetlify } from '../engine/event-readers.ts';
import type { Platform } from '../engine/model.ts';
import { customScheme } from '../engine/schemes.ts';

export const netlify: Platform = {
  name: 'netlify',
  title: 'Netlify',
  docsUrl: 'https://docs.netlify.com',
  detect: [
    { anyHeader: ['x-netlify-event'], order: 25 },
    { allHeaders: ['x-webhook-signature'], when: issuedByNetlify, order: 25 },
  ],
  eventType: ['header:x-netlify-event', 'json:state'],
  signatures: [customScheme('jwt-body-hash', 'x-webhook-signature', { label: 'jwt-hs256', version: 'sha256' })],
  secretHint: 'Project configuration > Notifications > the HTTP POST request > JWS secret token',
};
