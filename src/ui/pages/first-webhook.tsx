/* The page of an endpoint without events: its URL, and a command to send a first webhook. */

import { useState } from 'preact/hooks';
import type { Endpoint } from '../../features/endpoints/model.ts';
import { AnswersNotice } from '../answers/answer-marks.tsx';
import { GuardHint } from '../guard/guard-hint.tsx';
import { samplesFor } from '../inspector/copy/samples.ts';
import { PlatformMark } from '../inspector/event/badges.tsx';
import { Button, Code, Notice, Segmented } from '../kit/controls.tsx';
import { CopyButton } from '../kit/copy-button.tsx';
import { isLoopbackUrl } from '../kit/destination.ts';
import { platformTitle } from '../kit/format/platforms.ts';
import { visibleName } from '../kit/format/visible.ts';
import { Link } from '../kit/navigation.tsx';
import { loadPreference, savePreference } from '../kit/preferences.ts';
import { endpointDialogs } from './endpoint-bar.tsx';

export function FirstWebhook({ endpoint }: { endpoint: Endpoint }) {
  const samples = samplesFor(endpoint.url);
  const { connect, sendTest } = endpointDialogs(endpoint);
  const [kind, setKind] = useState(loadPreference('sample') ?? 'curl');
  const sample = samples.find(one => one.id === kind) ?? samples[0];
  if (!sample) return null;
  return (
    <main class="page col narrow first">
      <p class="soft">The first webhook appears here automatically.</p>
      <h1>{visibleName(endpoint.name)} is ready</h1>
      <p class="lead">
        Register this URL with the platform that sends the webhooks. Every request to it is recorded exactly as
        received.
      </p>
      <div class="address huge line">
        <code class="grow breaks">{endpoint.url}</code>
        <CopyButton kind="primary" label="Copy URL" text={endpoint.url} />
      </div>
      {isLoopbackUrl(endpoint.url) && <LoopbackNotice />}
      <GuardHint endpoint={endpoint} />
      <AnswersNotice endpoint={endpoint} />
      <ConnectRow onConnect={connect} onTest={() => sendTest()} />
      <section class="col" aria-label="Try it">
        <header class="row">
          <h2>Or try it now</h2>
          <span class="grow" />
          <Segmented
            label="Command for"
            options={samples.map(({ id, label }) => ({ id, label }))}
            value={sample.id}
            onPick={id => {
              setKind(id);
              savePreference('sample', id);
            }}
          />
          <CopyButton label="Copy" text={sample.text} />
        </header>
        <Code>{sample.text}</Code>
      </section>
      <p class="faint">
        To verify signed deliveries,{' '}
        <Link to={`/app/endpoints/${endpoint.id}/settings/secrets`}>register the signing secret</Link>.
      </p>
    </main>
  );
}

const tunnelCommand = 'hooktape serve --tunnel auto';

const LoopbackNotice = () => (
  <div class="col">
    <Notice tone="warn" title="No platform can reach this URL">
      Only programs on this computer can. To receive webhooks from a platform, do one of these:
    </Notice>
    <ul class="col tight">
      <li>
        Use a public Hooktape server, and run <code>hooktape listen</code> here: it sends the server’s events to your
        program.
      </li>
      <li>
        Restart this server with a tunnel: <code>{tunnelCommand}</code>
        <CopyButton what="command" text={tunnelCommand} /> It needs cloudflared, ngrok or tailscale. Platforms can then
        reach the URLs of endpoints, and nothing else.
      </li>
      <li>
        Set <code>HOOKTAPE_BASE_URL</code> to the public URL of the server, so that this page shows it.
      </li>
    </ul>
  </div>
);

/** Shown by name; the guide has all of them. */
const shownPlatforms = ['stripe', 'github', 'shopify', 'slack', 'gitlab', 'twilio', 'clerk', 'linear'] as const;

type ConnectRowProps = { onConnect: (platform?: string) => void; onTest: () => void };

const ConnectRow = ({ onConnect, onTest }: ConnectRowProps) => (
  <section class="col" aria-label="Connect a platform">
    <h2>Where to enter it</h2>
    <div class="row">
      {shownPlatforms.map(name => (
        <button key={name} type="button" class="button plain platform-button" onClick={() => onConnect(name)}>
          <PlatformMark platform={name} />
          {platformTitle(name)}
        </button>
      ))}
      <Button kind="quiet" onClick={() => onConnect()}>
        All platforms…
      </Button>
    </div>
    <p class="faint">
      Nothing to connect yet?{' '}
      <button type="button" class="link-button" onClick={onTest}>
        Send a test event
      </button>
    </p>
  </section>
);
