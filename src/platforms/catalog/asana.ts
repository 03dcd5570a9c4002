import { echoHookSecret } from '../engine/handshakes.ts';
import type { Platform } from '../engine/platform.ts';
import { hmac } from '../engine/schemes.ts';

export const asana: Platform = {
  name: 'asana',
  title: 'Asana',
  docsUrl: 'https://developers.asana.com/docs',
  setup: {
    where: 'the API call POST /webhooks, field target',
    url: 'https://developers.asana.com/docs/webhooks-guide',
  },
  detect: [{ anyHeader: ['x-hook-signature'], order: 25 }],
  eventType: ['json:events.0.resource.resource_type', 'json:events.0.action'],
  action: ['events.0.action'],
  preview: ['events.0.action', 'events.0.change.field', 'events.0.resource.gid'],
  signatures: [hmac('x-hook-signature')],
  secretHint: 'Learned from the handshake; it is the X-Hook-Secret header of the first delivery',
  handshakes: [
    echoHookSecret({
      description:
        "`X-Hook-Secret`: Hooktape returns the header and adds the value as the endpoint's Asana secret, which you must confirm.",
      shared: true,
      deliversSecret: true,
    }),
  ],
  notes: 'Each webhook on the same endpoint has its own secret: confirm each one.',
};
