import type { Platform } from '../engine/platform.ts';
import { hmac } from '../engine/schemes.ts';

export const grafana: Platform = {
  name: 'grafana',
  title: 'Grafana',
  docsUrl: 'https://grafana.com/docs',
  setup: {
    where: 'Alerting > Contact points > Add contact point > Webhook > URL',
    url: 'https://grafana.com/docs/grafana/latest/alerting/configure-notifications/manage-contact-points/integrations/webhook-notifier/',
  },
  detect: [
    { anyHeader: ['x-grafana-alerting-signature'], order: 45 },
    { json: { orgId: true, receiver: true, status: true, alerts: true, version: '1' }, order: 45 },
  ],
  eventType: ['json:status'],
  preview: [
    ['commonLabels.alertname', 'alerts.0.labels.alertname', 'title'],
    ['commonAnnotations.summary', 'alerts.0.annotations.summary'],
    ['commonLabels.grafana_folder', 'alerts.0.labels.grafana_folder'],
    'receiver',
  ],
  signatures: [
    hmac('x-grafana-alerting-signature'),
    hmac('x-grafana-alerting-signature', {
      message: '{x-grafana-alerting-timestamp}:{body}',
      timestamp: { from: 'header:x-grafana-alerting-timestamp', unit: 's' },
    }),
  ],
  secretHint: 'Alerting > Contact points > the webhook > HMAC signature > Secret',
};
