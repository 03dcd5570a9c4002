/* The settings of one endpoint: name, URL, answers, forwards, alerts, guard, retention, signing secrets, observed retries, export, pause and deletion. */

import { useState } from 'preact/hooks';
import type { Endpoint } from '../../features/endpoints/model.ts';
import { maxNameCharacters } from '../../shared/limits.ts';
import { AlertsSection } from '../alerts/alert-marks.tsx';
import { AnswersSection } from '../answers/answer-marks.tsx';
import { ForwardsSection } from '../forwards/forward-marks.tsx';
import { GuardSection } from '../guard/guard-section.tsx';
import { ExportLinks } from '../inspector/list/export-dialog.tsx';
import { ApiError, api } from '../kit/api.ts';
import { Button, Checkbox, Dialog, Field, Notice } from '../kit/controls.tsx';
import { DeclaredNotice } from '../kit/declared.tsx';
import { openDialog } from '../kit/dialogs.tsx';
import { text } from '../kit/fields.tsx';
import { InlineForm, Inputs, useForm } from '../kit/form.tsx';
import { formatCount } from '../kit/format/time.ts';
import { visibleName } from '../kit/format/visible.ts';
import { navigate } from '../kit/navigation.tsx';
import { Card, Page, WithEndpoint } from '../kit/page.tsx';
import { showError, showToast } from '../kit/toasts.tsx';
import { useWorkspace } from '../kit/workspace.tsx';
import { SecretsSection } from '../secrets/secrets-section.tsx';
import { PauseSection } from './endpoint-pause.tsx';
import { RetentionSection } from './endpoint-retention.tsx';
import { RetriesSection } from './endpoint-retries.tsx';
import { UrlSection } from './endpoint-url.tsx';

export const EndpointSettingsPage = ({ id }: { id: string }) => (
  <WithEndpoint id={id}>
    {endpoint => (
      <Page
        isNarrow
        title="Endpoint settings"
        tab={`${visibleName(endpoint.name)}, settings`}
        back={{ to: `/app/endpoints/${id}`, label: visibleName(endpoint.name) }}
      >
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
      </Page>
    )}
  </WithEndpoint>
);

const nameSchema = {
  name: text({ label: 'Name', hideLabel: true, maxLength: maxNameCharacters, required: 'Give it a name.' }),
};

function NameSection({ endpoint }: { endpoint: Endpoint }) {
  const { reloadEndpoints } = useWorkspace();
  const form = useForm({
    schema: nameSchema,
    initial: endpoint,
    isNew: false,
    messageAt: 'name',
    save: ({ name }: { name: string }) => api.renameEndpoint(endpoint.id, name),
    onSaved() {
      reloadEndpoints();
      showToast('Name saved.');
    },
  });
  return (
    <Card title="Name">
      <InlineForm form={form} submit="Save" isLocked={!form.isDirty || form.draft.name.trim() === ''}>
        <Inputs form={form} paths={['name']} />
      </InlineForm>
    </Card>
  );
}

const ExportSection = ({ endpoint }: { endpoint: Endpoint }) => (
  <Card
    title="Export"
    lead={`All ${formatCount(endpoint.eventCount, 'event')}, oldest first, with headers and exact bodies. Payloads can contain secrets, so keep the file somewhere safe.`}
  >
    <ExportLinks endpointId={endpoint.id} />
  </Card>
);

const DeleteSection = ({ endpoint }: { endpoint: Endpoint }) => (
  <Card
    title="Delete"
    class="danger-zone"
    lead={`The URL stops working, and ${formatCount(endpoint.eventCount, 'event')} will be deleted. This can't be undone.`}
  >
    <Button
      kind="danger"
      icon="trash"
      onClick={() => openDialog(close => <DeleteDialog endpoint={endpoint} onClose={close} />)}
    >
      Delete endpoint
    </Button>
  </Card>
);

function DeleteDialog({ endpoint, onClose }: { endpoint: Endpoint; onClose: () => void }) {
  const { reloadEndpoints } = useWorkspace();
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
    <Dialog title={`Delete ${name}?`} onClose={onClose}>
      <form onSubmit={remove}>
        <p>
          Its URL stops working, and {formatCount(endpoint.eventCount, 'event')} will be deleted. Export them first if
          you need them.
        </p>
        <Field label={`Type “${name}” to confirm`} value={typed} onText={setTyped} autocomplete="off" />
        {hasPins && (
          <>
            <Notice tone="warn" title="This endpoint has pinned events">
              Someone on your team wanted to keep them.
            </Notice>
            <Checkbox
              label="Delete the pinned events too"
              hint="If you still need them, export them first."
              checked={isWithPins}
              onChange={setIsWithPins}
            />
          </>
        )}
        <div class="dialog-actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="danger" type="submit" busy={busy} disabled={!isConfirmed || (hasPins && !isWithPins)}>
            Delete permanently
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
