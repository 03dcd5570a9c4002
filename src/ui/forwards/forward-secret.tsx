/* The secret with which a forward signs: made again, and shown once. */

import type { Forward } from '../../features/forwards/model.ts';
import { confirm, showSecretOnce } from '../kit/dialogs.tsx';
import { visibleName } from '../kit/format/visible.ts';
import { showError } from '../kit/toasts.tsx';
import { forwardsApi } from './forwards-api.ts';

export async function showNewSecret(endpointId: string, { id, name }: Pick<Forward, 'id' | 'name'>): Promise<void> {
  try {
    await showSecretOnce({
      title: `Signing secret of ${visibleName(name)}`,
      text: 'Copy it now: it is not shown again. With it, your handler verifies the Standard Webhooks signature of each request.',
      secret: await forwardsApi.newSecret(endpointId, id),
      button: 'Done',
    });
  } catch (error) {
    showError(error);
  }
}

export async function replaceSecret(endpointId: string, forward: Forward): Promise<void> {
  const isMeant = await confirm({
    title: 'Make a new signing secret?',
    text: 'The present secret signs beside the new one for 24 hours, an older one no longer.',
    button: 'Make a new secret',
  });
  if (isMeant) await showNewSecret(endpointId, forward);
}
