import type { Platform } from '../engine/platform.ts';
import { hmac } from '../engine/schemes.ts';

export const clickup: Platform = {
  name: 'clickup',
  title: 'ClickUp',
  docsUrl: 'https://developer.clickup.com',
  detect: [{ allHeaders: ['x-signature'], json: { webhook_id: true, event: true }, order: 35 }],
  eventType: ['json:event'],
  deliveryId: [{ body: ['webhook_id', 'history_items.0.id'], source: 'https://developer.clickup.com/docs/webhooks' }],
  preview: [
    'history_items.0.field',
    ['history_items.0.after.status', 'history_items.0.comment.text_content'],
    'history_items.0.user.username',
    ['task_id', 'list_id', 'folder_id', 'space_id'],
  ],
  signatures: [hmac('x-signature')],
  secretHint: 'secret in the answer of the call that created the webhook',
};
