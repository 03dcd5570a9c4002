/* Apps and agents that were connected over OAuth. Revoking takes their access at once. */

import { useState } from 'preact/hooks';
import { api } from '../api.ts';
import { Button, Dialog, Empty, Notice, Skeleton } from '../components/controls.tsx';
import { CopyButton } from '../components/copy-button.tsx';
import { Time } from '../components/time.tsx';
import { showError, showToast } from '../components/toasts.tsx';
import { useQuery } from '../components/use-query.ts';
import { visibleLine } from '../format/visible.ts';
import type { ConnectedApp } from '../wire.ts';

export function AppsSection() {
  const apps = useQuery('apps', api.apps);
  const [revoking, setRevoking] = useState<ConnectedApp>();
  const revoke = async (app: ConnectedApp): Promise<void> => {
    setRevoking(undefined);
    try {
      await api.revokeApp(app.id);
      apps.reload();
      showToast('Access withdrawn.');
    } catch (error) {
      showError(error);
    }
  };
  const mcp = `${location.origin}/mcp`;
  return (
    <section class="card section">
      <h2>Connected apps</h2>
      <p class="lead">Programs that you let in by signing in, without a key. Agents connect to this address:</p>
      <div class="address">
        <code>{mcp}</code>
        <CopyButton text={mcp} what="MCP address" />
      </div>
      {apps.problem && <Notice tone="bad">{apps.problem}</Notice>}
      {!apps.value && !apps.problem && <Skeleton rows={2} />}
      {apps.value?.length === 0 && (
        <Empty title="Nothing connected">When an app asks for access, you are asked first, and it appears here.</Empty>
      )}
      <ul class="rows">
        {apps.value?.map(app => (
          <li key={app.id}>
            <div class="stack grow">
              <strong>{visibleLine(app.name)}</strong>
              <span class="faint">
                <code class="wrap">{visibleLine(app.clientId)}</code> · since <Time at={app.createdAt} long /> ·{' '}
                {app.lastUsedAt ? (
                  <>
                    last used <Time at={app.lastUsedAt} long />
                  </>
                ) : (
                  'never used'
                )}
              </span>
            </div>
            <Button kind="quiet" aria-label={`Revoke ${visibleLine(app.name)}`} onClick={() => setRevoking(app)}>
              Revoke
            </Button>
          </li>
        ))}
      </ul>
      {revoking && (
        <Dialog title={`Withdraw access from ${visibleLine(revoking.name)}?`} onClose={() => setRevoking(undefined)}>
          <p>
            It is refused from its next request on, and so are the API keys that it made. It may ask you again later.
          </p>
          <div class="dialog-actions">
            <Button onClick={() => setRevoking(undefined)}>Cancel</Button>
            <Button kind="danger" onClick={() => revoke(revoking)}>
              Withdraw
            </Button>
          </div>
        </Dialog>
      )}
    </section>
  );
}
