/* Apps and agents connected with OAuth. Revoking ends their access immediately. */

import { useState } from 'preact/hooks';
import type { ConnectedApp } from '../../features/apps/model.ts';
import { api } from '../kit/api.ts';
import { Button, Dialog, Empty, Notice, Skeleton } from '../kit/controls.tsx';
import { CopyButton } from '../kit/copy-button.tsx';
import { visibleLine } from '../kit/format/visible.ts';
import { Time } from '../kit/time.tsx';
import { showError, showToast } from '../kit/toasts.tsx';
import { useQuery } from '../kit/use-query.ts';

export function AppsSection() {
  const apps = useQuery('apps', api.apps);
  const [revoking, setRevoking] = useState<ConnectedApp>();
  const revoke = async (app: ConnectedApp): Promise<void> => {
    setRevoking(undefined);
    try {
      await api.revokeApp(app.id);
      apps.reload();
      showToast('Access revoked.');
    } catch (error) {
      showError(error);
    }
  };
  const mcp = `${location.origin}/mcp`;
  return (
    <section class="card section">
      <h2>Connected apps</h2>
      <p class="lead">
        Apps and AI agents you've given access to by signing in, without an API key. To connect an agent (MCP), give it
        this URL:
      </p>
      <div class="address">
        <code>{mcp}</code>
        <CopyButton text={mcp} what="MCP URL" />
      </div>
      {apps.problem && <Notice tone="bad">{apps.problem}</Notice>}
      {!apps.value && !apps.problem && <Skeleton rows={2} />}
      {apps.value?.length === 0 && (
        <Empty title="No connected apps">Apps appear here once you approve their request for access.</Empty>
      )}
      <ul class="rows">
        {apps.value?.map(app => (
          <li key={app.id}>
            <div class="stack grow">
              <strong>{visibleLine(app.name)}</strong>
              <span class="faint">
                <code class="wrap">{visibleLine(app.clientId)}</code> · connected <Time at={app.createdAt} long /> ·{' '}
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
        <Dialog title={`Revoke access for ${visibleLine(revoking.name)}?`} onClose={() => setRevoking(undefined)}>
          <p>
            The app loses access immediately, and API keys it created stop working. It can ask for access again later.
          </p>
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
