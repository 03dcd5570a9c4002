/* API keys: made here, shown once, revoked at once. */

import { useState } from 'preact/hooks';
import { api } from '../api.ts';
import { Button, Dialog, Empty, Field, Notice, Skeleton } from '../components/controls.tsx';
import { CopyButton } from '../components/copy-button.tsx';
import { Time } from '../components/time.tsx';
import { showError, showToast } from '../components/toasts.tsx';
import { useQuery } from '../components/use-query.ts';
import { visibleLine, visibleName } from '../format/visible.ts';
import type { ApiKey, CreatedKey } from '../wire.ts';

export function KeysSection() {
  const keys = useQuery('keys', api.keys);
  const [name, setName] = useState('');
  const [problem, setProblem] = useState('');
  const [created, setCreated] = useState<CreatedKey>();
  const [revoking, setRevoking] = useState<ApiKey>();
  const create = async (event: Event): Promise<void> => {
    event.preventDefault();
    try {
      setCreated(await api.createKey(name.trim()));
      setName('');
      setProblem('');
      keys.reload();
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
  };
  const revoke = async (key: ApiKey): Promise<void> => {
    setRevoking(undefined);
    try {
      await api.revokeKey(key.id);
      keys.reload();
      setProblem('');
      showToast(`${visibleName(key.name)} is revoked.`);
    } catch (error) {
      showError(error);
    }
  };
  return (
    <section class="card section">
      <h2>API keys</h2>
      <p class="lead">
        For scripts and services: <code>Authorization: Bearer htk_…</code>. A key can do everything you can do with
        endpoints and events. See the <a href="/docs">API and explorer</a>.
      </p>
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
      {keys.problem && <Notice tone="bad">{keys.problem}</Notice>}
      {!keys.value && !keys.problem && <Skeleton rows={2} />}
      {keys.value?.length === 0 && (
        <Empty title="No keys yet">A key is shown once, when it is made. At most 10 per account.</Empty>
      )}
      <ul class="rows">
        {keys.value?.map(key => (
          <li key={key.id}>
            <div class="stack grow">
              <strong>{visibleName(key.name)}</strong>
              <span class="faint">
                <code>htk_…{key.last4}</code> · made {key.app && `by ${visibleLine(key.app.name)}, `}
                <Time at={key.createdAt} long /> ·{' '}
                {key.lastUsedAt ? (
                  <>
                    last used <Time at={key.lastUsedAt} long />
                  </>
                ) : (
                  'never used'
                )}
              </span>
            </div>
            <Button kind="quiet" aria-label={`Revoke ${visibleName(key.name)}`} onClick={() => setRevoking(key)}>
              Revoke
            </Button>
          </li>
        ))}
      </ul>
      {created && (
        <Dialog title="Your new key" wide isPersistent onClose={() => setCreated(undefined)}>
          <p>Copy it now. Only a fingerprint of it is stored, so it cannot be shown again.</p>
          <div class="address large">
            <code>{created.key}</code>
            <CopyButton kind="primary" label="Copy" text={created.key} />
          </div>
          <div class="dialog-actions">
            <Button onClick={() => setCreated(undefined)}>I have kept it</Button>
          </div>
        </Dialog>
      )}
      {revoking && (
        <Dialog title={`Revoke ${visibleName(revoking.name)}?`} onClose={() => setRevoking(undefined)}>
          <p>Whatever uses it is refused from now on. This cannot be undone.</p>
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
