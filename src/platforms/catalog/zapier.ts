import type { Platform } from '../engine/platform.ts';

export const zapier: Platform = {
  name: 'zapier',
  title: 'Zapier',
  docsUrl: 'https://docs.zapier.com',
  detect: [{ userAgent: 'Zapier', order: 90 }],
  eventType: [],
  signatures: [],
  secretHint: null,
};
