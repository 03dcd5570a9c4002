import type { Platform } from '../engine/platform.ts';
import { hmac } from '../engine/schemes.ts';

export const airtable: Platform = {
  name: 'airtable',
  title: 'Airtable',
  docsUrl: 'https://airtable.com/developers/web/api',
  detect: [{ anyHeader: ['x-airtable-content-mac'], order: 20 }],
  eventType: ['text:notification'],
  preview: ['base.id', 'webhook.id'],
  signatures: [hmac('x-airtable-content-mac', { prefix: 'hmac-sha256=', keyFormat: 'base64' })],
  secretHint: 'macSecretBase64, returned by the call that created the webhook',
};
