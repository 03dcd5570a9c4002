/* The section of an endpoint's settings with its URL: rotating it, and the old URLs that still take deliveries. */

import type { Endpoint } from '../../features/endpoints/model.ts';
import { defaultOverlap } from '../../shared/endpoints.ts';
import { GuardHint } from '../guard/guard-hint.tsx';
import { api } from '../kit/api.ts';
import { Button, Dialog } from '../kit/controls.tsx';
import { CopyButton } from '../kit/copy-button.tsx';
import { confirm, openDialog } from '../kit/dialogs.tsx';
import { choice } from '../kit/fields.tsx';
import { Form, Inputs, useForm } from '../kit/form.tsx';
import { Card } from '../kit/page.tsx';
import { Until } from '../kit/time.tsx';
import { showToast } from '../kit/toasts.tsx';
import { useWorkspace } from '../kit/workspace.tsx';

type PreviousUrl = Endpoint['previousUrls'][number];

export function UrlSection({ endpoint }: { endpoint: Endpoint }) {
  const { reloadEndpoints } = useWorkspace();
  const end = async (previous: PreviousUrl): Promise<void> => {
    await confirm({
      title: 'Stop the old URL now?',
      text: "Deliveries to it get 404, and most platforms don't retry those. Make sure that every sender uses the new URL. This can't be undone.",
      button: 'Stop now',
      run: () => api.endPreviousUrl(endpoint.id, previous.id),
      toast: 'The old URL no longer works.',
    });
    reloadEndpoints();
  };
  const rotate = () => openDialog(close => <RotateDialog endpoint={endpoint} onClose={close} />);
  return (
    <Card
      title="URL"
      id="url"
      lead="Register this URL with the sending platform. Anyone who knows it can send events, so treat it like a password."
    >
      <div class="address large line">
        <code class="grow breaks">{endpoint.url}</code>
        <CopyButton label="Copy" text={endpoint.url} />
      </div>
      <GuardHint endpoint={endpoint} />
      {endpoint.previousUrls.length > 0 && (
        <ul class="rows" aria-label="Old URLs">
          {endpoint.previousUrls.map(previous => (
            <li key={previous.id}>
              <div class="stack grow">
                <code class="wrap">{previous.url}</code>
                <span class="faint">
                  old URL, still working · stops <Until at={previous.until} />
                </span>
              </div>
              <Button kind="quiet" onClick={() => end(previous)}>
                Stop now
              </Button>
            </li>
          ))}
        </ul>
      )}
      <div class="row">
        <Button onClick={rotate}>Rotate URL</Button>
      </div>
    </Card>
  );
}

const schema = {
  overlap: choice({
    label: 'Keep the old URL working for',
    options: [
      { id: defaultOverlap, label: '24 hours' },
      { id: '7d', label: '7 days' },
      { id: '30d', label: '30 days' },
      { id: '0', label: 'Stop it now' },
    ],
  }),
};

function RotateDialog({ endpoint, onClose }: { endpoint: Endpoint; onClose: () => void }) {
  const { reloadEndpoints } = useWorkspace();
  const form = useForm({
    schema,
    save: ({ overlap }: { overlap: string }) => api.rotateUrl(endpoint.id, overlap),
    onSaved() {
      reloadEndpoints();
      onClose();
      showToast('The endpoint has a new URL. Register it with the sending platform.');
    },
  });
  return (
    <Dialog title="Rotate URL" onClose={onClose}>
      <Form
        form={form}
        submit="Rotate URL"
        submitKind={form.draft.overlap === '0' ? 'danger' : 'primary'}
        cancel={<Button onClick={onClose}>Cancel</Button>}
      >
        <p>
          The endpoint gets a new URL. Both URLs work while you register the new one with the sending platform; events
          and settings stay.
        </p>
        <Inputs form={form} paths={['overlap']} />
      </Form>
    </Dialog>
  );
}
