import { allowOrigin } from '../engine/handshakes.ts';
import type { Platform } from '../engine/platform.ts';
import { cloudEventsIds } from '../shared-delivery-ids.ts';

export const cloudevents: Platform = {
  name: 'cloudevents',
  title: 'CloudEvents',
  docsUrl: 'https://cloudevents.io',
  detect: [
    { anyHeader: ['ce-specversion'], order: 84 },
    { headerValues: { 'content-type': /^application\/cloudevents(-batch)?\+json/i }, order: 84 },
    { methods: ['OPTIONS'], allHeaders: ['webhook-request-origin'], order: 84 },
  ],
  eventType: ['header:ce-type', 'json:type', 'json:0.type'],
  deliveryId: cloudEventsIds,
  preview: ['subject', ['data.name', 'data.id'], 'source'],
  signatures: [],
  secretHint: null,
  handshakes: [allowOrigin],
};
