import type { Platform } from '../engine/platform.ts';

export const datadog: Platform = {
  name: 'datadog',
  title: 'Datadog',
  docsUrl: 'https://docs.datadoghq.com',
  detect: [
    { json: { last_updated: true, event_type: true, title: true, date: true, org: true, body: true }, order: 80 },
  ],
  eventType: ['json:event_type'],
  preview: ['title', 'org.name'],
  signatures: [],
  secretHint: null,
};
