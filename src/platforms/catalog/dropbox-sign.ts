import { formJson } from '../engine/event-readers.ts';
import type { Platform } from '../engine/model.ts';
import { customScheme } from '../engine/schemes.ts';

export const dropboxSign: Platform = {
  name: 'dropbox-sign',
  title: 'Dropbox Sign',
  docsUrl: 'https://developers.hellosign.com',
  detect: [
    { form: { json: /"event_hash"/ }, order: 45 },
    { json: { 'event.event_hash': true, 'event.event_type': true }, order: 45 },
  ],
  eventType: [formJson('json', 'event.event_type'), 'json:event.event_type'],
  signatures: [
    customScheme('dropbox-sign', null, { proves: 'origin', note: 'only time and type of the event are signed' }),
  ],
  secretHint: 'API settings > API key',
  handshake: 'Every delivery: `Hello API Event Received`.',
};
