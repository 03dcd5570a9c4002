import { type DeliveryReader, valueAt } from '../engine/delivery-reader.ts';
import type { Platform } from '../engine/platform.ts';
import { jwtBodyHash } from '../engine/schemes.ts';
import { jwtClaims } from '../engine/verifiers/jwt.ts';

export const netlify: Platform = {
  name: 'netlify',
  title: 'Netlify',
  docsUrl: 'https://docs.netlify.com',
  setup: {
    where:
      'Project configuration > Notifications > Deploy notifications > Add notification > HTTP POST request > URL to notify',
    url: 'https://docs.netlify.com/site-deploys/notifications/',
  },
  detect: [
    { anyHeader: ['x-netlify-event'], order: 25 },
    {
      allHeaders: ['x-webhook-signature'],
      when: { description: '`x-webhook-signature` is a JSON Web Token issued by netlify', test: isIssuedByNetlify },
      order: 25,
    },
  ],
  eventType: ['header:x-netlify-event', 'json:state'],
  preview: ['name', ['title', 'error_message'], ['branch', 'context'], 'state'],
  signatures: [jwtBodyHash('x-webhook-signature', 'jwt-hs256', { claim: 'sha256', claims: { iss: 'netlify' } })],
  secretHint: 'Project configuration > Notifications > the HTTP POST request > JWS secret token',
};

function isIssuedByNetlify(reader: DeliveryReader): boolean {
  return valueAt(jwtClaims(reader.header('x-webhook-signature') ?? ''), 'iss') === 'netlify';
}
