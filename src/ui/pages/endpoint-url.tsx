/* The section of an endpoint's settings with its URL: rotating it, and the old URLs that still take deliveries. */

import { useState } from 'preact/hooks';
import type { Endpoint } from '../../features/endpoints/model.ts';
import { GuardHint } from '../guard/guard-hint.tsx';
import { api } from '../kit/api.ts';
import { Button, Dialog } from '../kit/controls.tsx';
import { CopyButton } from '../kit/copy-button.tsx';
import { confirm, openDialog } from '../kit/dialogs.tsx';
import { Card } from '../kit/page.tsx';
import { SelectField } from '../kit/select-field.tsx';
import { showError, showToast } from '../kit/toasts.tsx';
import { Until } from '../kit/until.tsx';
import { useWorkspace } from '../kit/workspace.tsx';

type PreviousUrl = Endpoint['previousUrls'][number];

export function UrlSection({ endpoint }: { endpoint: Endpoint }) {
  const { reloadEndpoints } = useWorkspace();
  const end = async (previous: PreviousUrl): Promise<void> => {
    const isEnded = await confirm({
      title: 'Stop the old URL now?',
      text: "Deliveries to it will be answered with 404, and most platforms won't send them again. Make sure that every sender uses the new URL. This can't be undone.",
      button: 'Stop now',
      run: () => api.endPreviousUrl(endpoint.id, previous.id),
    });
    if (isEnded) showToast('The old URL no longer works.');
    reloadEndpoints();
  };
  const rotate = () => openDialog(close => <RotateDialog endpoint={endpoint} onClose={close} />);
  return (
    <Card
      title="URL"
      id="url"
      lead="Register this URL with the sending platform. Anyone who knows it can send events, so treat it like a password."
    >
      <div class="address large">
        <code>{endpoint.url}</code>
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
      <div class="button-row">
        <Button onClick={rotate}>Rotate URL</Button>
      </div>
    </Card>
  );
}

const overlaps = [
  { id: '24h', label: '24 hours' },
  { id: '7d', label: '7 days' },
  { id: '30d', label: '30 days' },
  { id: '0', label: 'Not at all: stop it now' },
] as const;
type Overlap = (typeof overlaps)[number]['id'];

function RotateDialog({ endpoint, onClose }: { endpoint: Endpoint; onClose: () => void }) {
  const { reloadEndpoints } = useWorkspace();
  const [overlap, setOverlap] = useState<Overlap>('24h');
  const [busy, setBusy] = useState(false);
  const rotate = async (event: Event): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    try {
      await api.rotateUrl(endpoint.id, overlap);
      reloadEndpoints();
      showToast('The endpoint has a new URL. Register it with the sending platform.');
    } catch (error) {
      showError(error);
    }
    onClose();
  };
  return (
    <Dialog title="Rotate URL" onClose={onClose}>
      <form onSubmit={rotate}>
        <p>
          The endpoint gets a new URL. Both URLs work while you register the new one with the sending platform; events
          and settings stay.
        </p>
        <SelectField label="Keep the old URL working for" options={overlaps} value={overlap} onPick={setOverlap} />
        <div class="dialog-actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind={overlap === '0' ? 'danger' : 'primary'} type="submit" busy={busy}>
            Rotate URL
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
