import type { Platform } from '../engine/platform.ts';

export const postman: Platform = {
  name: 'postman',
  title: 'Postman',
  docsUrl: 'https://learning.postman.com',
  detect: [{ anyHeader: ['postman-token'], order: 90 }],
  eventType: [],
  signatures: [],
  secretHint: null,
};
