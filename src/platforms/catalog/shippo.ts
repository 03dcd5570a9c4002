import type { Platform } from '../engine/platform.ts';
import { timestampedHmac } from '../engine/schemes.ts';

export const shippo: Platform = {
  name: 'shippo',
  title: 'Shippo',
  docsUrl: 'https://docs.goshippo.com',
  detect: [
    { anyHeader: ['shippo-auth-signature'], order: 20 },
    {
      json: { data: true, event: /^(track_updated|transaction_(created|updated)|batch_(created|purchased))$/ },
      order: 50,
    },
  ],
  eventType: ['json:event'],
  preview: ['data.tracking_number', 'data.tracking_status.status', 'data.carrier', 'data.object_id'],
  signatures: [timestampedHmac('shippo-auth-signature')],
  secretHint: 'The HMAC secret that Shippo enabled for the account',
};
