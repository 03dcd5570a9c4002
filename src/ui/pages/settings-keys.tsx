/* API key settings: list, create and revoke keys. A key is shown only once. */

import { useState } from 'preact/hooks';
import type { ApiKey, CreatedApiKey } from '../../features/keys/model.ts';
import { api } from '../api.ts';
import { Button, Dialog, Empty, Field, Notice, Skeleton } from '../components/controls.tsx';
import { CopyButton } from '../components/copy-button.tsx';
import { Time } from '../components/time.tsx';
import { showError, showToast } from '../components/toasts.tsx';
import { useQuery } from '../components/use-query.ts';
import { visibleLine, visibleName } from '../format/visible.ts';

export function KeysSection() {
  const keys = useQuery('keys', api.keys);
  const [revoking, setRevoking] = useState<ApiKey>();
  const revoke = async (key: ApiKey): Promise<void> => {
    setRevoking(undefined);
    try {
      await api.revokeKey(key.id);
      keys.reload();
      showToast(`${visibleName(key.name)} was revoked.`);
    } catch (error) {
      showError(error);
    }
  };
  return (
    <section class="card section">
      <h2>API keys</h2>
      <p class="lead">
        For scripts and services: <code>Authorization: Bearer htk_…</code>. A key can do everything you can do with
        endpoints and events. See the <a href="/docs">API explorer</a>.
      </p>
      <CreateKeyForm onCreated={keys.reload} />
      {keys.problem && <Notice tone="bad">{keys.problem}</Notice>}
      {!keys.value && !keys.problem && <Skeleton rows={2} />}
      {keys.value?.length === 0 && (
        <Empty title="No keys yet">A key is shown once, when it is created. An account can have 10 keys.</Empty>
      )}
      <ul class="rows">
        {keys.value?.map(key => (
          <KeyRow key={key.id} apiKey={key} onRevoke={() => setRevoking(key)} />
        ))}
      </ul>
      {revoking && (
        <Dialog title={`Revoke ${visibleName(revoking.name)}?`} onClose={() => setRevoking(undefined)}>
          <p>Requests with this key are refused immediately. This cannot be undone.</p>
          <div class="dialog-actions">
            <Button onClick={() => setRevoking(undefined)}>Cancel</Button>
            <Button kind="danger" onClick={() => revoke(revoking)}>
              Revoke
            </Button>
          </div>
        </Dialog>
      )}
    </section>
  );
}

/** Creates a key and shows it once. */
function CreateKeyForm({ onCreated }: { onCreated: () => void }) {
  const [name, setName] = useState('');
  const [problem, setProblem] = useState('');
  const [created, setCreated] = useState<CreatedApiKey>();
  const create = async (event: Event): Promise<void> => {
    event.preventDefault();
    try {
      setCreated(await api.createKey(name.trim()));
      setName('');
      setProblem('');
      onCreated();
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <>
      <form class="inline-form" onSubmit={create}>
        <Field
          label="Name"
          value={name}
          onText={setName}
          required
          maxLength={100}
          placeholder="Nightly import"
          problem={problem}
        />
        <Button kind="primary" type="submit" disabled={name.trim() === ''}>
          Create key
        </Button>
      </form>
      {created && (
        <Dialog title="Your new key" wide isPersistent onClose={() => setCreated(undefined)}>
          <p>Copy it now. Only its hash is stored, so it cannot be shown again.</p>
          <div class="address large">
            <code>{created.key}</code>
            <CopyButton kind="primary" label="Copy" text={created.key} />
          </div>
          <div class="dialog-actions">
            <Button onClick={() => setCreated(undefined)}>I have saved the key</Button>
          </div>
        </Dialog>
      )}
    </>
  );
}

const KeyRow = ({ apiKey, onRevoke }: { apiKey: ApiKey; onRevoke: () => void }) => (
  <li>
    <div class="stack grow">
      <strong>{visibleName(apiKey.name)}</strong>
      <span class="faint">
        <code>htk_…{apiKey.last4}</code> · created {apiKey.app && `by ${visibleLine(apiKey.app.name)}, `}
        <Time at={apiKey.createdAt} long /> ·{' '}
        {apiKey.lastUsedAt ? (
          <>
            last used <Time at={apiKey.lastUsedAt} long />
          </>
        ) : (
          'never used'
        )}
      </span>
    </div>
    <Button kind="quiet" aria-label={`Revoke ${visibleName(apiKey.name)}`} onClick={onRevoke}>
      Revoke
    </Button>
  </li>
);
