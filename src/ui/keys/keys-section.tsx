/* API key settings: list, create and revoke keys. A key is shown only once. */

import { useState } from 'preact/hooks';
import type { ApiKey, CreatedApiKey } from '../../features/keys/model.ts';
import { api } from '../kit/api.ts';
import { Button, Checkbox, Dialog, Empty, Field, Notice, Skeleton } from '../kit/controls.tsx';
import { CopyButton } from '../kit/copy-button.tsx';
import { visibleLine, visibleName } from '../kit/format/visible.ts';
import { SelectField } from '../kit/select-field.tsx';
import { Time } from '../kit/time.tsx';
import { showError, showToast } from '../kit/toasts.tsx';
import { Until } from '../kit/until.tsx';
import { useQuery } from '../kit/use-query.ts';
import { ExpiringKeys, expiryOf } from './expiring-keys.tsx';

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
        endpoints and events, unless it's read-only. Try it in the <a href="/docs">API explorer</a>.
      </p>
      {keys.value && <ExpiringKeys keys={keys.value} />}
      <CreateKeyForm onCreated={keys.reload} />
      {keys.problem && <Notice tone="bad">{keys.problem}</Notice>}
      {!keys.value && !keys.problem && <Skeleton rows={2} />}
      {keys.value?.length === 0 && (
        <Empty title="No keys yet">Each key is shown once, when you create it. You can have up to 10.</Empty>
      )}
      <ul class="rows">
        {keys.value?.map(key => (
          <KeyRow key={key.id} apiKey={key} onRevoke={() => setRevoking(key)} />
        ))}
      </ul>
      {revoking && (
        <Dialog title={`Revoke ${visibleName(revoking.name)}?`} onClose={() => setRevoking(undefined)}>
          <p>Anything that uses this key stops working immediately. This can't be undone.</p>
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

const lifetimes = [
  { id: '30d', label: '30 days' },
  { id: '90d', label: '90 days' },
  { id: '365d', label: '1 year' },
  { id: 'never', label: 'Never' },
] as const;
type Lifetime = (typeof lifetimes)[number]['id'];

/** Creates a key and shows it once. */
function CreateKeyForm({ onCreated }: { onCreated: () => void }) {
  const [name, setName] = useState('');
  const [lifetime, setLifetime] = useState<Lifetime>('90d');
  const [readOnly, setReadOnly] = useState(false);
  const [problem, setProblem] = useState('');
  const [created, setCreated] = useState<CreatedApiKey>();
  const create = async (event: Event): Promise<void> => {
    event.preventDefault();
    try {
      const expiresIn = lifetime === 'never' ? null : lifetime;
      setCreated(await api.createKey(name.trim(), { expiresIn, readOnly }));
      setName('');
      setReadOnly(false);
      setProblem('');
      onCreated();
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <>
      <form class="new-key" onSubmit={create}>
        <Field
          label="Name"
          value={name}
          onText={setName}
          required
          maxLength={100}
          placeholder="Nightly import"
          problem={problem}
        />
        <SelectField label="Expires after" options={lifetimes} value={lifetime} onPick={setLifetime} />
        <Checkbox
          label="Read-only"
          hint="Can read and stream events, but can't change, replay or delete anything."
          checked={readOnly}
          onChange={setReadOnly}
        />
        <Button kind="primary" type="submit" disabled={name.trim() === ''}>
          Create key
        </Button>
      </form>
      {created && (
        <Dialog title="Save your new key" wide isPersistent onClose={() => setCreated(undefined)}>
          <p>Copy it now. Hooktape stores only a hash of it, so you won't see it again.</p>
          <div class="address large">
            <code>{created.key}</code>
            <CopyButton kind="primary" label="Copy" text={created.key} />
          </div>
          <div class="dialog-actions">
            <Button onClick={() => setCreated(undefined)}>I've saved it</Button>
          </div>
        </Dialog>
      )}
    </>
  );
}

const KeyRow = ({ apiKey, onRevoke }: { apiKey: ApiKey; onRevoke: () => void }) => (
  <li>
    <div class="stack grow">
      <strong>
        {visibleName(apiKey.name)} {apiKey.readOnly && <span class="badge muted">Read-only</span>}{' '}
        <Expiry of={apiKey} />
      </strong>
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
        {apiKey.expiresAt !== null && expiryOf(apiKey) === 'later' && (
          <>
            {' '}
            · expires <Until at={apiKey.expiresAt} />
          </>
        )}
      </span>
    </div>
    <Button kind="quiet" aria-label={`Revoke ${visibleName(apiKey.name)}`} onClick={onRevoke}>
      Revoke
    </Button>
  </li>
);

/** A badge for a key that has expired or soon will. */
function Expiry({ of }: { of: ApiKey }) {
  const expiry = expiryOf(of);
  if (of.expiresAt === null) return null;
  if (expiry === 'over') return <span class="badge bad">Expired</span>;
  if (expiry === 'later') return null;
  return (
    <span class="badge warn">
      Expires <Until at={of.expiresAt} />
    </span>
  );
}
