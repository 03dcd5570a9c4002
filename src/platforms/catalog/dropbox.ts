import { firstKey } from '../engine/event-readers.ts';
import type { Platform } from '../engine/model.ts';
import { hmac } from '../engine/schemes.ts';

export const dropbox: Platform = {
  name: 'dropbox',
  title: 'Dropbox',
  docsUrl: 'https://www.dropbox.com/developers',
  detect: [{ anyHeader: ['x-dropbox-signature'], order: 20 }],
  eventType: [firstKey],
  signatures: [hmac('x-dropbox-signature')],
  secretHint: 'App Console > the app > App secret',
  handshake: '`GET ?challenge=`: the challenge is sent back.',
};
