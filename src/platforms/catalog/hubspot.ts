import type { Platform } from '../engine/model.ts';
import { customScheme } from '../engine/schemes.ts';

export const hubspot: Platform = {
  name: 'hubspot',
  title: 'HubSpot',
  docsUrl: 'https://developers.hubspot.com/docs',
  detect: [{ anyHeader: ['x-hubspot-signature-v3', 'x-hubspot-signature', 'x-hubspot-signature-version'], order: 20 }],
  eventType: ['json:0.subscriptionType', 'json:eventType'],
  signatures: [
    customScheme('hubspot-v3', 'x-hubspot-signature-v3', {
      time: { from: 'header:x-hubspot-request-timestamp', unit: 'ms', toleranceSeconds: 300 },
    }),
    customScheme('hubspot-hash', 'x-hubspot-signature', { label: 'sha256-concat' }),
  ],
  secretHint: 'The app > Auth > Client secret',
};
