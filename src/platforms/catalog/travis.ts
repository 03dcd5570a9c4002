import { formJson } from '../engine/event-readers.ts';
import type { Platform } from '../engine/model.ts';
import { customScheme } from '../engine/schemes.ts';

export const travis: Platform = {
  name: 'travis',
  title: 'Travis CI',
  docsUrl: 'https://docs.travis-ci.com',
  detect: [
    { anyHeader: ['travis-repo-slug'], order: 25 },
    { allHeaders: ['signature'], form: { payload: true }, order: 25 },
  ],
  eventType: [formJson('payload', 'state'), formJson('payload', 'type'), formJson('payload', 'status_message')],
  signatures: [customScheme('travis', 'signature', { label: 'rsa-sha1', keyFormat: 'public-key' })],
  secretHint: 'config.notifications.webhook.public_key at https://api.travis-ci.com/config',
};
