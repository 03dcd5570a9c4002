import type { Platform } from '../engine/platform.ts';
import { hmac } from '../engine/schemes.ts';

export const trello: Platform = {
  name: 'trello',
  title: 'Trello',
  docsUrl: 'https://developer.atlassian.com/cloud/trello/',
  detect: [{ anyHeader: ['x-trello-webhook'], order: 20 }],
  eventType: ['json:action.type'],
  preview: [
    'action.memberCreator.username',
    ['action.data.card.name', 'action.data.list.name'],
    ['action.data.listAfter.name', 'action.data.text'],
    'action.data.board.name',
  ],
  signatures: [hmac('x-trello-webhook', { hash: 'sha1', encoding: 'base64', message: '{body}{url}' })],
  secretHint: 'Power-Up admin > API key > Secret',
};
