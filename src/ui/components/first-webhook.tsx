/* The page of an endpoint without events: its URL, a command to send a first webhook, and the connection state. */

import { useState } from 'preact/hooks';
import type { Endpoint } from '../../features/endpoints/model.ts';
import { samplesFor } from '../copy/samples.ts';
import { visibleName } from '../format/visible.ts';
import type { ConnectionState } from '../live/stream.ts';
import { Segmented } from './controls.tsx';
import { CopyButton } from './copy-button.tsx';
import { Link } from './navigation.tsx';
import { loadPreference, savePreference } from './preferences.ts';

export function FirstWebhook({ endpoint, connection }: { endpoint: Endpoint; connection: ConnectionState }) {
  const samples = samplesFor(endpoint.url);
  const [kind, setKind] = useState(loadPreference('sample') ?? 'curl');
  const sample = samples.find(one => one.id === kind) ?? samples[0];
  if (!sample) return null;
  return (
    <main class="page first">
      <p class={`pulse ${connection}`} role="status">
        <span aria-hidden="true" />
        {connection === 'live' ? 'Listening. The first webhook appears here by itself.' : 'Connecting…'}
      </p>
      <h1>{visibleName(endpoint.name)} is ready</h1>
      <p class="lead">
        Register this URL with the platform that sends the webhooks. Every request to it is recorded exactly as
        received.
      </p>
      <div class="address huge">
        <code>{endpoint.url}</code>
        <CopyButton kind="primary" label="Copy URL" text={endpoint.url} />
      </div>
      <section class="try" aria-label="Try it">
        <header>
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
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable by keyboard. */}
        <pre class="code" tabIndex={0}>
          {sample.text}
        </pre>
      </section>
      <p class="faint">
        To verify signed deliveries,{' '}
        <Link to={`/app/endpoints/${endpoint.id}/settings`}>register the signing secret</Link>.
      </p>
    </main>
  );
}
