/* Apps and agents connected with OAuth. Revoking ends their access immediately. */

import type { ConnectedApp } from '../../features/apps/model.ts';
import { api } from '../kit/api.ts';
import { Button, Empty } from '../kit/controls.tsx';
import { CopyButton } from '../kit/copy-button.tsx';
import { confirm } from '../kit/dialogs.tsx';
import { visibleLine } from '../kit/format/visible.ts';
import { Card, Loaded } from '../kit/page.tsx';
import { LastUsed, Time } from '../kit/time.tsx';
import { showToast } from '../kit/toasts.tsx';
import { useQuery } from '../kit/use-query.ts';
import { AppSubscriptions } from './app-subscriptions.tsx';

export function AppsSection() {
  const apps = useQuery('apps', api.apps);
  const revoke = async (app: ConnectedApp): Promise<void> => {
    const isRevoked = await confirm({
      title: `Revoke access for ${visibleLine(app.name)}?`,
      text: 'The app loses access immediately, API keys it created stop working, and its subscriptions end. It can ask for access again later.',
      button: 'Revoke',
      run: () => api.revokeApp(app.id),
    });
    if (!isRevoked) return;
    apps.reload();
    showToast('Access revoked.');
  };
  const mcp = `${location.origin}/mcp`;
  return (
    <Card
      title="Connected apps"
      lead="Apps and AI agents that you connected by signing in, without an API key. To connect an agent (MCP), give it this URL:"
    >
      <div class="address line tight">
        <code class="cut soft">{mcp}</code>
        <CopyButton text={mcp} what="MCP URL" />
      </div>
      <Loaded query={apps} what="the connected apps" rows={2} inCard>
        {list =>
          list.length === 0 ? (
            <Empty title="No connected apps">Apps appear here once you approve their request for access.</Empty>
          ) : (
            <ul class="rows">
              {list.map(app => (
                <AppRow key={app.id} app={app} onRevoke={() => revoke(app)} onEnded={apps.reload} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </Card>
  );
}

const AppRow = ({ app, onRevoke, onEnded }: { app: ConnectedApp; onRevoke: () => void; onEnded: () => void }) => (
  <li>
    <div class="stack grow">
      <strong>{visibleLine(app.name)}</strong>
      <span class="faint">
        <code class="wrap">{visibleLine(app.clientId)}</code> · connected <Time at={app.createdAt} long /> ·{' '}
        <LastUsed at={app.lastUsedAt} />
      </span>
    </div>
    <Button kind="quiet" aria-label={`Revoke ${visibleLine(app.name)}`} onClick={onRevoke}>
      Revoke
    </Button>
    <AppSubscriptions app={app} onEnded={onEnded} />
  </li>
);
