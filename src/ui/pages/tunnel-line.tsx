/* The line on all pages that says that the tunnel of the server is down or has a new address; nothing while all is well. */

import { useEffect, useState } from 'preact/hooks';
import { api } from '../kit/api.ts';
import { Button } from '../kit/controls.tsx';
import { loadPreference, savePreference } from '../kit/preferences.ts';
import { usePolled } from '../kit/use-query.ts';
import { useWorkspace } from '../kit/workspace.tsx';

const everyMs = 10_000;
/** The new origin that the reader has dismissed. */
const preference = 'tunnel-known';

/** Nothing for a server without a tunnel, which is not asked again. */
export function TunnelLine() {
  const { session, reloadEndpoints } = useWorkspace();
  const { tunnel } =
    usePolled(
      'tunnel',
      session.tunnel ? api.session : async () => session,
      () => session.tunnel !== undefined,
      () => everyMs,
    ).value ?? session;
  const [known, setKnown] = useState(loadPreference(preference));
  const origin = tunnel?.origin;
  // The endpoints that the page has shown since it was opened have other URLs.
  useEffect(() => {
    if (origin !== session.tunnel?.origin) reloadEndpoints();
  }, [origin]);
  if (!tunnel) return null;
  if (tunnel.state === 'up' && (tunnel.previousOrigin === null || known === origin)) return null;
  const dismiss = (): void => {
    savePreference(preference, origin ?? '');
    setKnown(origin ?? '');
  };
  return (
    <div class={`bar-line row rigid ${tunnel.state === 'down' ? 'bad' : 'warn'}`} role="status">
      {tunnel.state === 'starting' && <span>The tunnel is starting. Platforms can't reach this server yet.</span>}
      {tunnel.state === 'down' && (
        <span>
          <strong>Platforms can't reach this server:</strong> {tunnel.message}.
        </span>
      )}
      {tunnel.state === 'up' && (
        <>
          <span class="breaks">
            <strong>The tunnel has a new address: {origin}.</strong> URLs under {tunnel.previousOrigin} no longer work:
            register the new URL of each endpoint with its platform.
          </span>
          <Button onClick={dismiss}>Dismiss</Button>
        </>
      )}
    </div>
  );
}
