import type { Platform } from '../engine/platform.ts';
import { token } from '../engine/schemes.ts';

export const auth0: Platform = {
  name: 'auth0',
  title: 'Auth0 log streams',
  docsUrl: 'https://auth0.com/docs',
  setup: {
    where: 'Dashboard > Monitoring > Streams > Create Stream > Custom Webhook > Payload URL',
    url: 'https://auth0.com/docs/customize/log-streams/custom-log-streams',
  },
  detect: [
    { json: { '0.log_id': true, '0.data.type': true }, order: 80 },
    { json: { log_id: true, 'data.type': true }, order: 80 },
  ],
  eventType: ['json:0.data.type', 'json:data.type', 'json:type'],
  preview: [
    ['0.data.user_name', 'data.user_name'],
    ['0.data.description', 'data.description'],
    ['0.data.client_name', 'data.client_name'],
    ['0.data.ip', 'data.ip'],
  ],
  signatures: [token('authorization')],
  secretHint: 'Monitoring > Streams > the stream > Authorization Token',
};
