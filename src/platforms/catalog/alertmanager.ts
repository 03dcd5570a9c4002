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
  preview: [
    ['commonLabels.alertname', 'alerts.0.labels.alertname'],
    ['commonAnnotations.summary', 'alerts.0.annotations.summary'],
    ['commonLabels.severity', 'alerts.0.labels.severity'],
    'receiver',
  ],
  signatures: [],
  secretHint: null,
};
