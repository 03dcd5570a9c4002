import type { Platform } from '../engine/platform.ts';

export const alertmanager: Platform = {
  name: 'alertmanager',
  title: 'Prometheus Alertmanager',
  docsUrl: 'https://prometheus.io/docs/alerting/latest/alertmanager/',
  detect: [
    { json: { version: '4', groupKey: true, receiver: true, alerts: true }, order: 46 },
    { userAgent: 'Alertmanager/', order: 46 },
  ],
  eventType: ['json:status'],
  signatures: [],
  secretHint: null,
};
