/* The settings of one endpoint: name, URL and pause, access rules, signing secrets, retention and export, and deletion. */

import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Endpoint, EndpointChange } from '../../features/endpoints/model.ts';
import { maxNameCharacters } from '../../shared/limits.ts';
import { GuardSection } from '../guard/guard-section.tsx';
import { ExportLinks } from '../inspector/list/export-dialog.tsx';
import { ApiError, api } from '../kit/api.ts';
import { Button, Dialog, Empty } from '../kit/controls.tsx';
import { openDialog, type Question } from '../kit/dialogs.tsx';
import { flag, text } from '../kit/fields.tsx';
import { Form, InlineForm, Inputs, useForm } from '../kit/form.tsx';
import { formatCount } from '../kit/format/time.ts';
import { visibleName } from '../kit/format/visible.ts';
import { navigate } from '../kit/navigation.tsx';
import { Card, DeclaredNotice, Page, WithEndpoint } from '../kit/page.tsx';
import { PageLinks } from '../kit/page-links.tsx';
import type { FormField } from '../kit/schema.ts';
import { showToast } from '../kit/toasts.tsx';
import { useWorkspace } from '../kit/workspace.tsx';
import { RedactionSection } from '../redaction/redaction-section.tsx';
import { SecretsSection } from '../secrets/secrets-section.tsx';
import { PauseSection } from './endpoint-pause.tsx';
import { UrlSection } from './endpoint-url.tsx';

type Shown = { endpoint: Endpoint };

const General = ({ endpoint }: Shown) => (
  <>
    <SettingSection endpoint={endpoint} title="Name" setting="name" field={nameField} />
    <UrlSection endpoint={endpoint} />
    <PauseSection endpoint={endpoint} />
  </>
);

const Data = ({ endpoint }: Shown) => (
  <>
    <SettingSection
      endpoint={endpoint}
      title="Retention"
      lead="How long events are kept, such as 12h or 30d. Leave empty for your plan's maximum. Pinned events are kept until you unpin them."
      setting="retention"
      field={retentionField}
      submit="Save retention"
      question={askToKeepFor}
    />
    <ExportSection endpoint={endpoint} />
  </>
);

type SettingProps = {
  endpoint: Endpoint;
  title: string;
  lead?: string;
  setting: keyof EndpointChange & keyof Endpoint;
  field: FormField<string, string | null>;
  submit?: string;
  question?: (value: string | null) => Omit<Question, 'run'> | undefined;
};

function SettingSection({ endpoint, title, lead, setting, field, submit = 'Save', question }: SettingProps) {
  const { reloadEndpoints } = useWorkspace();
  const form = useForm({
    schema: { [setting]: field },
    initial: endpoint,
    isNew: false,
    messageAt: setting,
    question: (change: Record<string, string | null>) => question?.(change[setting] ?? null),
    save: change => api.changeEndpoint(endpoint.id, change),
    onSaved() {
      reloadEndpoints();
      showToast(`${title} saved.`);
    },
  });
  const isMissing = field.problem?.(form.draft[setting] ?? '') !== undefined;
  return (
    <Card title={title} lead={lead}>
      <InlineForm form={form} submit={submit} isLocked={!form.isDirty || isMissing}>
        <Inputs form={form} paths={[setting]} />
      </InlineForm>
    </Card>
  );
}

const nameField = text({ label: 'Name', hideLabel: true, maxLength: maxNameCharacters, required: 'Enter a name.' });
const retentionField = text({ label: 'Retention', hideLabel: true, placeholder: 'As long as the plan allows' });

/** A shorter time deletes events. */
const askToKeepFor = (time: string | null) =>
  time === null
    ? undefined
    : {
        title: `Keep events for ${time}?`,
        text: `Events older than ${time} will be deleted, except pinned ones. This can't be undone.`,
        button: `Keep for ${time}`,
      };

const ExportSection = ({ endpoint }: { endpoint: Endpoint }) => (
  <Card
    title="Export"
    lead={`All ${formatCount(endpoint.eventCount, 'event')}, oldest first, with headers and exact bodies. Payloads may contain secrets, so store the file safely.`}
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

/** `id`: the part of the address behind that of the settings; empty for the first. */
export const endpointSections: readonly { id: string; label: string; Section: ComponentType<Shown> }[] = [
  { id: '', label: 'General', Section: General },
  { id: 'access', label: 'Access', Section: GuardSection },
  { id: 'secrets', label: 'Secrets', Section: ({ endpoint }) => <SecretsSection id={endpoint.id} /> },
  { id: 'redaction', label: 'Redaction', Section: RedactionSection },
  { id: 'data', label: 'Data', Section: Data },
  { id: 'delete', label: 'Delete', Section: DeleteSection },
];

export const EndpointSettingsPage = ({ id, section }: { id: string; section: string }) => (
  <WithEndpoint id={id}>{endpoint => <EndpointSettings endpoint={endpoint} section={section} />}</WithEndpoint>
);

function EndpointSettings({ endpoint, section }: Shown & { section: string }) {
  const base = `/app/endpoints/${endpoint.id}/settings`;
  const addressOf = (id: string): string => (id === '' ? base : `${base}/${id}`);
  const current = endpointSections.find(one => one.id === section);
  // Links of earlier versions name a part of one long page, such as `#secrets`.
  useEffect(() => {
    const part = endpointSections.find(({ id }) => id !== '' && `#${id}` === location.hash);
    if (part) navigate(addressOf(part.id), { replace: true });
  }, []);
  return (
    <Page class="settings" title="Settings" of={endpoint.name}>
      <PageLinks
        class="side-nav col"
        label="Settings"
        links={endpointSections.map(({ id, label }) => ({ to: addressOf(id), label }))}
        current={addressOf(section)}
      />
      <div class="settings-body col loose">
        {endpoint.declared && <DeclaredNotice />}
        {current ? <current.Section endpoint={endpoint} /> : <Empty title="Section not found" />}
      </div>
    </Page>
  );
}

const deleteSchema = {
  name: text({ label: 'Name' }),
  pinned: flag({
    label: 'Delete the pinned events too',
    hint: 'If you still need them, export them first.',
    on: true,
    off: false,
  }),
};

function DeleteDialog({ endpoint, onClose }: { endpoint: Endpoint; onClose: () => void }) {
  const { reloadEndpoints } = useWorkspace();
  /** The server refused, because there are pinned events. */
  const [hasPins, setHasPins] = useState(false);
  const name = visibleName(endpoint.name);
  const form = useForm({
    schema: deleteSchema,
    applies: path => path !== 'pinned' || hasPins,
    save: (_, { pinned }) =>
      api.deleteEndpoint(endpoint.id, pinned).catch((error: unknown) => {
        if (!(error instanceof ApiError && error.status === 409)) throw error;
        setHasPins(true);
        throw new ApiError(409, 'Someone on your team wanted to keep them.');
      }),
    onSaved() {
      reloadEndpoints();
      navigate('/app');
      showToast(`${name} was deleted.`);
    },
  });
  const { draft } = form;
  const isConfirmed = [name, endpoint.name].some(one => one.trim() === draft.name.trim());
  return (
    <Dialog title={`Delete ${name}?`} onClose={onClose}>
      <Form
        form={form}
        submit="Delete permanently"
        submitKind="danger"
        isLocked={!isConfirmed || (hasPins && !draft.pinned)}
        cancel={<Button onClick={onClose}>Cancel</Button>}
        failed={hasPins ? 'This endpoint has pinned events' : "The endpoint wasn't deleted"}
      >
        <p>
          Its URL stops working, and {formatCount(endpoint.eventCount, 'event')} will be deleted. Export them first if
          you need them.
        </p>
        <Inputs form={form} paths={['name', 'pinned']} texts={{ name: { label: `Type “${name}” to confirm` } }} />
      </Form>
    </Dialog>
  );
}
