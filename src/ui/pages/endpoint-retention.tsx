/* How long the endpoint's events are kept. A shorter time deletes events, so it asks first. */

import { useState } from 'preact/hooks';
import type { Endpoint } from '../../features/endpoints/model.ts';
import { api } from '../kit/api.ts';
import { Button, Field } from '../kit/controls.tsx';
import { confirm } from '../kit/dialogs.tsx';
import { showToast } from '../kit/toasts.tsx';
import { useWorkspace } from '../kit/workspace.tsx';

export function RetentionSection({ endpoint }: { endpoint: Endpoint }) {
  const { reloadEndpoints } = useWorkspace();
  const [text, setText] = useState(endpoint.retention ?? '');
  const [problem, setProblem] = useState('');
  const [isBusy, setIsBusy] = useState(false);
  const retention = text.trim() || null;
  const save = async (): Promise<void> => {
    setIsBusy(true);
    try {
      await api.setRetention(endpoint.id, retention);
      setProblem('');
      reloadEndpoints();
      showToast('Retention saved.');
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
    setIsBusy(false);
  };
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    const isConfirmed =
      retention === null ||
      (await confirm({
        title: `Keep events for ${retention}?`,
        text: `Events older than ${retention} will be deleted, except pinned ones. This can't be undone.`,
        button: `Keep for ${retention}`,
      }));
    if (isConfirmed) await save();
  };
  return (
    <section class="card section">
      <h2>Retention</h2>
      <p class="lead">
        How long to keep events, such as 12h or 30d. Leave it empty to keep them as long as your plan allows. Pinned
        events stay until you unpin them.
      </p>
      <form class="inline-form" onSubmit={submit}>
        <Field
          label="Retention"
          hideLabel
          value={text}
          onText={setText}
          placeholder="As long as the plan allows"
          autocomplete="off"
          spellcheck={false}
          problem={problem}
        />
        <Button type="submit" busy={isBusy} disabled={retention === endpoint.retention}>
          Save retention
        </Button>
      </form>
    </section>
  );
}
