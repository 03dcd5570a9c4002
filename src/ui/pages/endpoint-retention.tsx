/* How long the endpoint's events are kept. A shorter time deletes events, so it asks first. */

import type { Endpoint } from '../../features/endpoints/model.ts';
import { api } from '../kit/api.ts';
import { text } from '../kit/fields.tsx';
import { InlineForm, Inputs, useForm } from '../kit/form.tsx';
import { Card } from '../kit/page.tsx';
import { showToast } from '../kit/toasts.tsx';
import { useWorkspace } from '../kit/workspace.tsx';

const schema = {
  retention: text({ label: 'Retention', hideLabel: true, placeholder: 'As long as the plan allows' }),
};

export function RetentionSection({ endpoint }: { endpoint: Endpoint }) {
  const { reloadEndpoints } = useWorkspace();
  const form = useForm({
    schema,
    initial: endpoint,
    isNew: false,
    messageAt: 'retention',
    question: ({ retention }: Pick<Endpoint, 'retention'>) =>
      retention === null
        ? undefined
        : {
            title: `Keep events for ${retention}?`,
            text: `Events older than ${retention} will be deleted, except pinned ones. This can't be undone.`,
            button: `Keep for ${retention}`,
          },
    save: ({ retention }) => api.setRetention(endpoint.id, retention),
    onSaved() {
      reloadEndpoints();
      showToast('Retention saved.');
    },
  });
  return (
    <Card
      title="Retention"
      lead="How long to keep events, such as 12h or 30d. Leave it empty to keep them as long as your plan allows. Pinned events stay until you unpin them."
    >
      <InlineForm form={form} submit="Save retention" isLocked={!form.isDirty}>
        <Inputs form={form} paths={['retention']} />
      </InlineForm>
    </Card>
  );
}
