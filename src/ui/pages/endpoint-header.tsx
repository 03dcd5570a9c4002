/*
 * The line above the inspector: the endpoint's name and URL, which `y` copies from anywhere on the page, and what starts with them: test
 * events and the guide to platforms.
 */

import type { Endpoint } from '../../features/endpoints/model.ts';
import { AlertsMark } from '../alerts/alert-marks.tsx';
import { AnswersMark } from '../answers/answer-marks.tsx';
import { ForwardsMark } from '../forwards/forward-marks.tsx';
import { describeCredentials } from '../guard/credentials.ts';
import { copyText } from '../kit/clipboard.ts';
import { Button } from '../kit/controls.tsx';
import { CopyButton } from '../kit/copy-button.tsx';
import { openDialog } from '../kit/dialogs.tsx';
import { visibleName } from '../kit/format/visible.ts';
import { IconButton } from '../kit/icon-button.tsx';
import { Link } from '../kit/navigation.tsx';
import { showError, showToast } from '../kit/toasts.tsx';
import { useActions, useHotkeys } from '../kit/use-hotkeys.ts';
import { usePopup } from '../kit/use-popup.ts';
import { ConnectDialog } from './connect-dialog.tsx';
import { TestEventDialog } from './test-event-dialog.tsx';

type EndpointHeaderProps = { endpoint: Endpoint };

export function EndpointHeader({ endpoint }: EndpointHeaderProps) {
  const { connect, sendTest } = endpointDialogs(endpoint);
  useHotkeys({ y: { label: "Copy the endpoint's URL", run: () => void copyUrl(endpoint) } }, 'Page');
  useActions([
    { label: 'Send a test event', run: () => void sendTest() },
    { label: 'Connect a platform', run: () => void connect() },
  ]);
  return (
    <section class="endpoint-header line full" aria-label={`Endpoint ${visibleName(endpoint.name)}`}>
      {endpoint.paused && <PausedMark endpoint={endpoint} />}
      <span class="header-marks line">
        <AlertsMark endpoint={endpoint} />
        <AnswersMark endpoint={endpoint} />
        <ForwardsMark endpoint={endpoint} />
      </span>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable by keyboard. */}
      <code class="endpoint-url cut soft" title={endpoint.url} tabIndex={0}>
        {endpoint.url}
      </code>
      <CopyButton what="URL (y)" text={endpoint.url} />
      <span class="grow" />
      <Button kind="quiet" icon="plus" onClick={() => connect()}>
        Connect a platform
      </Button>
      <Button kind="quiet" icon="send" onClick={() => sendTest()}>
        Send test event
      </Button>
      <EndpointMenu endpoint={endpoint} onConnect={() => connect()} onTest={() => sendTest()} />
    </section>
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

const PausedMark = ({ endpoint: { id } }: EndpointHeaderProps) => (
  <Link class="badge warn" to={`/app/endpoints/${id}/settings`} title="Paused: deliveries are not stored">
    Paused
  </Link>
);

type EndpointMenuProps = { endpoint: Endpoint; onConnect: () => void; onTest: () => void };

function EndpointMenu({ endpoint, onConnect, onTest }: EndpointMenuProps) {
  const { isOpen, setIsOpen, frame } = usePopup<HTMLDivElement>();
  const item = (label: string, run: () => void) => (
    <button
      type="button"
      onClick={() => {
        setIsOpen(false);
        run();
      }}
    >
      {label}
    </button>
  );
  return (
    <div class="menu anchor" ref={frame}>
      <IconButton icon="chevron" label="Endpoint menu" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)} />
      {isOpen && (
        <div class="menu-panel popup">
          {item('Connect a platform', onConnect)}
          {item('Send test event', onTest)}
          <Link to={`/app/endpoints/${endpoint.id}/answers`} onClick={() => setIsOpen(false)}>
            Answers
          </Link>
          <Link to={`/app/endpoints/${endpoint.id}/forwards`} onClick={() => setIsOpen(false)}>
            Forwards
          </Link>
          <Link to={`/app/endpoints/${endpoint.id}/alerts`} onClick={() => setIsOpen(false)}>
            Alerts
          </Link>
          <Link to={`/app/jobs?endpoint=${endpoint.id}`} onClick={() => setIsOpen(false)}>
            Replay jobs
          </Link>
          <Link to={`/app/endpoints/${endpoint.id}/settings`} onClick={() => setIsOpen(false)}>
            Endpoint settings
          </Link>
        </div>
      )}
    </div>
  );
}

async function copyUrl({ url, guard }: Endpoint): Promise<void> {
  if (await copyText(url)) showToast(`URL copied. ${describeCredentials(guard)}`.trim());
  else showError('Your browser blocked copying. Select the URL and copy it yourself.');
}
