import type { Platform } from '../engine/platform.ts';
import { jsonKey } from '../engine/readers.ts';
import { token } from '../engine/schemes.ts';

export const telegram: Platform = {
  name: 'telegram',
  title: 'Telegram Bot API',
  docsUrl: 'https://core.telegram.org/bots/api',
  setup: { where: 'the API call setWebhook, field url', url: 'https://core.telegram.org/bots/api#setwebhook' },
  detect: [
    { anyHeader: ['x-telegram-bot-api-secret-token'], order: 20 },
    { json: { update_id: true }, keyCount: 2, order: 50 },
  ],
  eventType: [jsonKey('key beside `update_id`', key => key !== 'update_id')],
  deliveryId: [{ body: 'update_id', source: 'https://core.telegram.org/bots/api#update' }],
  preview: [
    ['message.from.username', 'message.from.first_name', 'callback_query.from.username', 'inline_query.from.username'],
    [
      'message.text',
      'message.caption',
      'edited_message.text',
      'channel_post.text',
      'callback_query.data',
      'inline_query.query',
    ],
    ['message.chat.title', 'channel_post.chat.title', 'message.chat.id'],
  ],
  signatures: [token('x-telegram-bot-api-secret-token')],
  secretHint: 'The secret_token you gave to setWebhook',
};
