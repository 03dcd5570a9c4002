/* The settings of one endpoint: name, URL, answers, forwards, alerts, guard, retention, signing secrets, observed retries, export, pause and deletion. */

import { useState } from 'preact/hooks';
import type { Endpoint } from '../../features/endpoints/model.ts';
import { AlertsSection } from '../alerts/alerts-section.tsx';
import { AnswersSection } from '../answers/answers-section.tsx';
import { ForwardsSection } from '../forwards/forwards-section.tsx';
import { GuardSection } from '../guard/guard-section.tsx';
import { ExportLinks } from '../inspector/list/export-dialog.tsx';
import { ApiError, api } from '../kit/api.ts';
import { Button, Checkbox, Dialog, Field, Notice, Skeleton } from '../kit/controls.tsx';
import { DeclaredNotice } from '../kit/declared.tsx';
import { formatCount } from '../kit/format/time.ts';
import { visibleName } from '../kit/format/visible.ts';
import { Link, navigate } from '../kit/navigation.tsx';
import { EndpointNotFoundPage } from '../kit/not-found.tsx';
import { showError, showToast } from '../kit/toasts.tsx';
import { useTitle } from '../kit/use-title.ts';
import { useWorkspace } from '../kit/workspace.tsx';
import { SecretsSection } from '../secrets/secrets-section.tsx';
import { PauseSection } from './endpoint-pause.tsx';
import { RetentionSection } from './endpoint-retention.tsx';
import { RetriesSection } from './endpoint-retries.tsx';
import { UrlSection } from './endpoint-url.tsx';

export function EndpointSettingsPage({ id }: { id: string }) {
  const { endpoints } = useWorkspace();
  const endpoint = endpoints?.find(one => one.id === id);
  useTitle(endpoint ? `${visibleName(endpoint.name)}, settings` : 'Endpoint');
  if (!endpoints) {
    return (
      <main class="page narrow">
        <Skeleton rows={4} kind="card" />
      </main>
    );
  }
  if (!endpoint) return <EndpointNotFoundPage />;
  return (
    <main class="page narrow">
      <header class="page-head">
        <div>
          <Link to={`/app/endpoints/${id}`} class="crumb">
            ← {visibleName(endpoint.name)}
          </Link>
          <h1>Endpoint settings</h1>
        </div>
      </header>
      {endpoint.declared && <DeclaredNotice />}
      <NameSection endpoint={endpoint} />
      <UrlSection endpoint={endpoint} />
      <AnswersSection endpoint={endpoint} />
      <ForwardsSection endpoint={endpoint} />
      <AlertsSection endpoint={endpoint} />
      <GuardSection endpoint={endpoint} />
      <RetentionSection endpoint={endpoint} />
      <SecretsSection id={id} />
      <RetriesSection id={id} />
      <ExportSection endpoint={endpoint} />
      <PauseSection endpoint={endpoint} />
      <DeleteSection endpoint={endpoint} />
    </main>
  );
}

function NameSection({ endpoint }: { endpoint: Endpoint }) {
  const { reloadEndpoints } = useWorkspace();
  const [name, setName] = useState(endpoint.name);
  const [problem, setProblem] = useState('');
  const save = async (event: Event): Promise<void> => {
    event.preventDefault();
    try {
      await api.renameEndpoint(endpoint.id, name.trim());
      setProblem('');
      reloadEndpoints();
      showToast('Name saved.');
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <section class="card section">
      <h2>Name</h2>
      <form class="inline-form" onSubmit={save}>
        <Field label="Name" hideLabel value={name} onText={setName} required maxLength={100} problem={problem} />
        <Button type="submit" disabled={name.trim() === '' || name.trim() === endpoint.name}>
          Save
        </Button>
      </form>
    </section>
  );
}

const ExportSection = ({ endpoint }: { endpoint: Endpoint }) => (
  <section class="card section">
    <h2>Export</h2>
    <p class="lead">
      All {formatCount(endpoint.eventCount, 'event')}, oldest first, with headers and exact bodies. Payloads can contain
      secrets, so keep the file somewhere safe.
    </p>
    <ExportLinks endpointId={endpoint.id} />
  </section>
);

function DeleteSection({ endpoint }: { endpoint: Endpoint }) {
  const { reloadEndpoints } = useWorkspace();
  const [isConfirming, setIsConfirming] = useState(false);
  const [typed, setTyped] = useState('');
  /** The server refused, because there are pinned events. */
  const [hasPins, setHasPins] = useState(false);
  const [isWithPins, setIsWithPins] = useState(false);
  const [busy, setBusy] = useState(false);
  const name = visibleName(endpoint.name);
  const isConfirmed = [name, endpoint.name].some(one => one.trim() === typed.trim());
  const remove = async (event: Event): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    try {
      await api.deleteEndpoint(endpoint.id, isWithPins);
      reloadEndpoints();
      navigate('/app');
      showToast(`${name} was deleted.`);
    } catch (error) {
      if (error instanceof ApiError && error.status === 409) setHasPins(true);
      else showError(error);
      setBusy(false);
    }
  };
  return (
    <section class="card section danger-zone">
      <h2>Delete</h2>
      <p class="lead">
        The URL stops working, and {formatCount(endpoint.eventCount, 'event')} will be deleted. This can't be undone.
      </p>
      <Button kind="danger" icon="trash" onClick={() => setIsConfirming(true)}>
        Delete endpoint
      </Button>
      {isConfirming && (
        <Dialog title={`Delete ${name}?`} onClose={() => setIsConfirming(false)}>
          <form onSubmit={remove}>
            <p>
              Its URL stops working, and {formatCount(endpoint.eventCount, 'event')} will be deleted. Export them first
              if you need them.
            </p>
            <Field label={`Type “${name}” to confirm`} value={typed} onText={setTyped} autocomplete="off" />
            {hasPins && (
              <Notice tone="warn" title="This endpoint has pinned events">
                Someone on your team wanted to keep them.
              </Notice>
            )}
            {hasPins && (
              <Checkbox
                label="Delete the pinned events too"
                hint="If you still need them, export them first."
                checked={isWithPins}
                onChange={setIsWithPins}
              />
            )}
            <div class="dialog-actions">
              <Button onClick={() => setIsConfirming(false)}>Cancel</Button>
              <Button kind="danger" type="submit" busy={busy} disabled={!isConfirmed || (hasPins && !isWithPins)}>
                Delete permanently
              </Button>
            </div>
          </form>
        </Dialog>
      )}
    </section>
  );
}
