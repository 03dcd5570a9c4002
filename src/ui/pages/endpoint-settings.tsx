/* One endpoint: name, address, signing secrets, exports, and the end of it. */

import { useState } from 'preact/hooks';
import { api } from '../api.ts';
import { Button, CopyButton, Dialog, Field, IconButton, Notice, Skeleton } from '../parts/controls.tsx';
import { NoSuchEndpoint } from '../parts/dead-end.tsx';
import { useLoaded } from '../parts/loaded.ts';
import { Link, navigate } from '../parts/navigation.tsx';
import { useWorkspace } from '../parts/session.tsx';
import { Time } from '../parts/time.tsx';
import { useTitle } from '../parts/title.ts';
import { complain, say } from '../parts/toasts.tsx';
import type { Endpoint } from '../wire.ts';
import { OFFERED_PLATFORMS, platformName } from '../words/platforms.ts';
import { count } from '../words/time.ts';
import { visibleName } from '../words/visible.ts';

export function EndpointSettingsPage({ id }: { id: string }) {
  const { endpoints } = useWorkspace();
  const endpoint = endpoints?.find(one => one.id === id);
  useTitle(endpoint ? `${visibleName(endpoint.name)}, settings` : 'Endpoint');
  if (!endpoints) {
    return (
      <main class="page narrow">
        <Skeleton rows={4} kind="card" />
      </main>
    );
  }
  if (!endpoint) return <NoSuchEndpoint />;
  return (
    <main class="page narrow">
      <header class="page-head">
        <div>
          <Link to={`/app/endpoints/${id}`} class="crumb">
            ← {visibleName(endpoint.name)}
          </Link>
          <h1>Endpoint settings</h1>
        </div>
      </header>
      <NameSection endpoint={endpoint} />
      <section class="card section">
        <h2>Address</h2>
        <p class="lead">
          Register this with the sending platform. Whoever knows it can deliver here, so treat it like a password.
        </p>
        <div class="address large">
          <code>{endpoint.url}</code>
          <CopyButton label="Copy" text={endpoint.url} />
        </div>
      </section>
      <SecretsSection id={id} />
      <ExportSection endpoint={endpoint} />
      <DeleteSection endpoint={endpoint} />
    </main>
  );
}

function NameSection({ endpoint }: { endpoint: Endpoint }) {
  const { reloadEndpoints } = useWorkspace();
  const [name, setName] = useState(endpoint.name);
  const [problem, setProblem] = useState('');
  const save = async (event: Event): Promise<void> => {
    event.preventDefault();
    try {
      await api.renameEndpoint(endpoint.id, name.trim());
      setProblem('');
      reloadEndpoints();
      say('Name saved.');
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <section class="card section">
      <h2>Name</h2>
      <form class="inline-form" onSubmit={save}>
        <Field label="Name" hideLabel value={name} onText={setName} required maxLength={100} problem={problem} />
        <Button type="submit" disabled={name.trim() === '' || name.trim() === endpoint.name}>
          Save
        </Button>
      </form>
    </section>
  );
}

function SecretsSection({ id }: { id: string }) {
  const secrets = useLoaded(id, () => api.secrets(id));
  const [platform, setPlatform] = useState('');
  const [secret, setSecret] = useState('');
  const [problem, setProblem] = useState('');
  const [busy, setBusy] = useState(false);
  const isAboutPlatform = /^unknown platform/i.test(problem);
  const add = async (event: Event): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    try {
      await api.addSecret(id, platform.trim().toLowerCase() || null, secret);
      setSecret('');
      setProblem('');
      secrets.reload();
      say('Secret registered. Stored events are judged with it.');
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
    setBusy(false);
  };
  const remove = async (secretId: string): Promise<void> => {
    try {
      await api.deleteSecret(id, secretId);
      secrets.reload();
    } catch (error) {
      complain(error);
    }
  };
  return (
    <section class="card section" id="secrets">
      <h2>Signing secrets</h2>
      <p class="lead">
        With the secret that the platform signs with, every delivery shows whether it is genuine. Register two while you
        rotate. They are stored encrypted and never shown again.
      </p>
      {secrets.problem && <Notice tone="bad">{secrets.problem}</Notice>}
      {!secrets.value && !secrets.problem && <Skeleton rows={1} />}
      {secrets.value && secrets.value.length > 0 && (
        <ul class="rows">
          {secrets.value.map(one => (
            <li key={one.id}>
              <strong>{one.platform === null ? 'Any platform' : platformName(one.platform)}</strong>
              <code class="faint">…{one.last4}</code>
              <span class="faint">
                added <Time at={one.createdAt} long />
              </span>
              <span class="grow" />
              <IconButton
                icon="trash"
                label={`Remove the secret ending in ${one.last4}`}
                onClick={() => remove(one.id)}
              />
            </li>
          ))}
        </ul>
      )}
      <form class="inline-form" onSubmit={add}>
        <Field
          label="Platform"
          list="platforms"
          value={platform}
          onText={setPlatform}
          placeholder="any"
          problem={isAboutPlatform ? problem : ''}
        />
        <datalist id="platforms">
          {OFFERED_PLATFORMS.map(name => (
            <option key={name} value={name}>
              {platformName(name)}
            </option>
          ))}
        </datalist>
        <Field
          label="Secret"
          type="password"
          autocomplete="off"
          value={secret}
          onText={setSecret}
          required
          placeholder="whsec_…"
          problem={isAboutPlatform ? '' : problem}
        />
        <Button type="submit" busy={busy} disabled={secret === ''}>
          Register
        </Button>
      </form>
    </section>
  );
}

const ExportSection = ({ endpoint }: { endpoint: Endpoint }) => (
  <section class="card section">
    <h2>Export</h2>
    <p class="lead">
      The whole stored history, oldest first: {count(endpoint.eventCount, 'event')} with headers and exact bodies.
      Payloads may hold secrets; keep the file as carefully as the data.
    </p>
    <p class="button-row">
      <a class="button plain" href={api.exportUrl(endpoint.id, 'json')} download="">
        Download JSON
      </a>
      <a class="button plain" href={api.exportUrl(endpoint.id, 'har')} download="">
        Download HAR
      </a>
    </p>
  </section>
);

function DeleteSection({ endpoint }: { endpoint: Endpoint }) {
  const { reloadEndpoints } = useWorkspace();
  const [asking, setAsking] = useState(false);
  const [typed, setTyped] = useState('');
  const [busy, setBusy] = useState(false);
  const name = visibleName(endpoint.name);
  const isConfirmed = [name, endpoint.name].some(one => one.trim() === typed.trim());
  const remove = async (event: Event): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    try {
      await api.deleteEndpoint(endpoint.id);
      reloadEndpoints();
      navigate('/app');
      say(`${name} is deleted.`);
    } catch (error) {
      complain(error);
      setBusy(false);
    }
  };
  return (
    <section class="card section danger-zone">
      <h2>Delete</h2>
      <p class="lead">
        The address stops answering and {count(endpoint.eventCount, 'event')} are removed at once. There is no way back.
      </p>
      <Button kind="danger" icon="trash" onClick={() => setAsking(true)}>
        Delete endpoint
      </Button>
      {asking && (
        <Dialog title={`Delete ${name}?`} onClose={() => setAsking(false)}>
          <form onSubmit={remove}>
            <p>
              Deliveries to its address will be refused, and {count(endpoint.eventCount, 'stored event')} will be gone.
              Export them first if you may need them.
            </p>
            <Field label={`Type “${name}” to confirm`} value={typed} onText={setTyped} autocomplete="off" />
            <div class="dialog-actions">
              <Button onClick={() => setAsking(false)}>Cancel</Button>
              <Button kind="danger" type="submit" busy={busy} disabled={!isConfirmed}>
                Delete for good
              </Button>
            </div>
          </form>
        </Dialog>
      )}
    </section>
  );
}
