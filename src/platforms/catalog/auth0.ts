import type { Platform } from '../engine/platform.ts';
import { token } from '../engine/schemes.ts';

export const auth0: Platform = {
  name: 'auth0',
  title: 'Auth0 log streams',
  docsUrl: 'https://auth0.com/docs',
  detect: [
    { json: { '0.log_id': true, '0.data.type': true }, order: 80 },
    { json: { log_id: true, 'data.type': true }, order: 80 },
  ],
  eventType: ['json:0.data.type', 'json:data.type', 'json:type'],
  signatures: [token('authorization')],
  secretHint: 'Monitoring > Streams > the stream > Authorization Token',
};
