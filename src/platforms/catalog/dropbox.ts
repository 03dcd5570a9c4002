import { echoQueryParameter } from '../engine/handshakes.ts';
import type { Platform } from '../engine/platform.ts';
import { jsonKey } from '../engine/readers.ts';
import { hmac } from '../engine/schemes.ts';

export const dropbox: Platform = {
  name: 'dropbox',
  title: 'Dropbox',
  docsUrl: 'https://www.dropbox.com/developers',
  detect: [{ anyHeader: ['x-dropbox-signature'], order: 20 }],
  eventType: [jsonKey('first key of the JSON', () => true)],
  preview: ['list_folder.accounts.0'],
  signatures: [hmac('x-dropbox-signature')],
  secretHint: 'App Console > the app > App secret',
  handshakes: [echoQueryParameter('challenge')],
};
