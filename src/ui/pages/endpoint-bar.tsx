/* The bar above every page of an endpoint: its tabs, its URL, which `y` copies, the connection, and the ways to connect something. */

import type { ComponentChildren } from 'preact';
import type { Endpoint } from '../../features/endpoints/model.ts';
import { AlertsPill } from '../alerts/alert-marks.tsx';
import { AnswersPill } from '../answers/answer-marks.tsx';
import { describeCredentials } from '../guard/guard-hint.tsx';
import { Pill } from '../kit/controls.tsx';
import { CopyButton, copyText } from '../kit/copy-button.tsx';
import { openDialog } from '../kit/dialogs.tsx';
import { visibleName } from '../kit/format/visible.ts';
import { Menu, MenuActions } from '../kit/menu.tsx';
import { navigate, type PageLocation } from '../kit/navigation.tsx';
import { PageLinks } from '../kit/page-links.tsx';
import { showError, showToast } from '../kit/toasts.tsx';
import { useActions, useHotkeys } from '../kit/use-hotkeys.ts';
import { useWorkspace } from '../kit/workspace.tsx';
import { ConnectionControl, ConnectionLine, useAnswered } from './connection.tsx';
import { PausedLine } from './endpoint-pause.tsx';
import { endpointIn, tabsAt } from './endpoint-tabs.ts';
import { ConnectDialog, TestEventDialog } from './platform-dialogs.tsx';
import { forwardsInTrouble, useTroubles } from './use-troubles.ts';

/** Nothing on pages that are not about an endpoint. */
export function EndpointBar({ url }: { url: PageLocation }) {
  const { endpoints } = useWorkspace();
  const id = endpointIn(url.path);
  const endpoint = endpoints?.find(one => one.id === id);
  return id === '' || (endpoints && !endpoint) ? null : <Bar key={id} id={id} endpoint={endpoint} path={url.path} />;
}

/** @param endpoint undefined until the endpoints are loaded */
function Bar({ id, endpoint, path }: { id: string; endpoint: Endpoint | undefined; path: string }) {
  const tabs = tabsAt(path);
  const at = tabs.findIndex(({ isCurrent }) => isCurrent);
  const open = (tab: (typeof tabs)[number] | undefined): void => tab && navigate(tab.to);
  useHotkeys(
    {
      '[': { label: 'Open the tab before', isKeyOnly: true, run: () => open(tabs[at - 1]) },
      ']': { label: 'Open the next tab', isKeyOnly: true, run: () => open(tabs[at + 1]) },
    },
    'Page',
  );
  const troubles = useTroubles(id);
  const answered = useAnswered(troubles);
  const forwards = forwardsInTrouble(troubles.value ?? []);
  const marks: Record<string, ComponentChildren> = {
    destinations: <Pill tone="bad" count={forwards.count} lines={forwards.lines} />,
    answers: endpoint && <AnswersPill endpoint={endpoint} />,
    alerts: endpoint && <AlertsPill endpoint={endpoint} />,
  };
  return (
    <>
      <section class="tabbar line rigid" aria-label={endpoint ? `Endpoint ${visibleName(endpoint.name)}` : 'Endpoint'}>
        <PageLinks
          class="line"
          label="Pages of the endpoint"
          links={tabs.map(({ to, label, part }) => ({ to, label, mark: marks[part] }))}
          current={tabs[at]?.to}
        />
        <div class="tabbar-end line tight">
          {endpoint && (
            <>
              <code class="cut soft" title={endpoint.url}>
                {endpoint.url}
              </code>
              <CopyButton what="URL (y)" text={endpoint.url} />
            </>
          )}
          <ConnectionControl answered={answered} />
          {endpoint && <Connect endpoint={endpoint} />}
        </div>
      </section>
      <ConnectionLine answered={answered} />
      {endpoint && <PausedLine endpoint={endpoint} />}
    </>
  );
}

function Connect({ endpoint }: { endpoint: Endpoint }) {
  const { connect, sendTest } = endpointDialogs(endpoint);
  useHotkeys({ y: { label: "Copy the endpoint's URL", run: () => void copyUrl(endpoint) } }, 'Page');
  const actions = [
    { label: 'Connect a platform', run: () => void connect() },
    { label: 'Send a test event', run: () => void sendTest() },
  ];
  const base = `/app/endpoints/${endpoint.id}`;
  useActions([
    ...actions,
    { label: 'New forward', run: () => navigate(`${base}/destinations/new`) },
    { label: 'New alert', run: () => navigate(`${base}/alerts?new=silence`) },
  ]);
  return (
    <Menu icon="plus" label="Connect" isLabelShown>
      {close => <MenuActions actions={actions} close={close} />}
    </Menu>
  );
}

/** The dialogs about an endpoint. Both take the name of the platform to begin with. */
export function endpointDialogs(endpoint: Endpoint) {
  const sendTest = (platform?: string) =>
    openDialog(close => <TestEventDialog endpoint={endpoint} platform={platform} onClose={close} />);
  const connect = (platform?: string) =>
    openDialog(close => (
      <ConnectDialog
        endpoint={endpoint}
        platform={platform}
        onTest={name => {
          close();
          void sendTest(name);
        }}
        onClose={close}
      />
    ));
  return { connect, sendTest };
}

async function copyUrl({ url, guard }: Endpoint): Promise<void> {
  if (await copyText(url)) showToast(`URL copied. ${describeCredentials(guard)}`.trim());
  else showError('Your browser blocked copying. Select the URL and copy it yourself.');
}
