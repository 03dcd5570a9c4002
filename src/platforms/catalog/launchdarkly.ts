import type { Platform } from '../engine/platform.ts';
import { hmac } from '../engine/schemes.ts';

export const launchdarkly: Platform = {
  name: 'launchdarkly',
  title: 'LaunchDarkly',
  docsUrl: 'https://launchdarkly.com/docs',
  detect: [{ anyHeader: ['x-ld-signature'], order: 26 }],
  eventType: ['json:kind'],
  action: ['titleVerb'],
  preview: ['name', 'member.email', 'titleVerb', 'comment'],
  signatures: [hmac('x-ld-signature')],
  secretHint: 'Integrations > Webhooks > the webhook > Secret',
};
