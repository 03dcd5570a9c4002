import type { Platform } from '../engine/model.ts';
import { hmac } from '../engine/schemes.ts';

export const zoom: Platform = {
  name: 'zoom',
  title: 'Zoom',
  docsUrl: 'https://developers.zoom.us/docs',
  detect: [{ anyHeader: ['x-zm-signature', 'x-zm-request-timestamp', 'x-zm-trackingid'], order: 20 }],
  eventType: ['json:event'],
  signatures: [
    hmac('x-zm-signature', {
      prefix: 'v0=',
      message: 'v0:{x-zm-request-timestamp}:{body}',
      time: { from: 'header:x-zm-request-timestamp', unit: 's', toleranceSeconds: 300 },
    }),
  ],
  secretHint: 'App Marketplace > the app > Features > Access > Secret Token',
  handshake: '`endpoint.url_validation`: answered when its signature holds; needs the secret token.',
};
