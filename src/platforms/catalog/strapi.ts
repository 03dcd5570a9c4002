import type { Platform } from '../engine/platform.ts';

export const strapi: Platform = {
  name: 'strapi',
  title: 'Strapi',
  docsUrl: 'https://docs.strapi.io',
  detect: [{ anyHeader: ['x-strapi-event'], order: 20 }],
  eventType: ['header:x-strapi-event', 'json:event'],
  action: ['model'],
  preview: [['entry.title', 'entry.name'], 'model', 'entry.id'],
  signatures: [],
  secretHint: null,
};
