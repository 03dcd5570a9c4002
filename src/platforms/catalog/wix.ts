import { wixEvent, wixToken } from '../engine/event-readers.ts';
import type { Platform } from '../engine/model.ts';
import { customScheme } from '../engine/schemes.ts';

export const wix: Platform = {
  name: 'wix',
  title: 'Wix',
  docsUrl: 'https://dev.wix.com/docs',
  detect: [{ when: wixToken, bodyText: /^\s*eyJ[\w-]{10,}\.eyJ/, order: 45 }],
  eventType: [wixEvent],
  signatures: [customScheme('jwt-body', null, { label: 'jwt-rs256', keyFormat: 'public-key' })],
  secretHint: 'App dashboard > Webhooks > Public key',
};
