import { echoHookSecret } from '../engine/handshakes.ts';
import type { Platform } from '../engine/platform.ts';

export const keap: Platform = {
  name: 'keap',
  title: 'Keap',
  docsUrl: 'https://developer.keap.com',
  detect: [{ json: { event_key: true, object_keys: true }, order: 72 }],
  eventType: ['json:event_key'],
  preview: ['object_keys.0.apiUrl', 'object_keys.0.id'],
  signatures: [],
  secretHint: null,
  handshakes: [echoHookSecret()],
};
