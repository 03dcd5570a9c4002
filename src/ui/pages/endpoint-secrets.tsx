/* An endpoint's signing secrets: registered ones, those that handshakes delivered, and the window in which one is accepted. */

import { useState } from 'preact/hooks';
import type { PlatformDescription } from '../../platforms/directory.ts';
import { api } from '../api.ts';
import { Button, Field, IconButton, Notice, Skeleton } from '../components/controls.tsx';
import { Time } from '../components/time.tsx';
import { showError, showToast } from '../components/toasts.tsx';
import { useQuery } from '../components/use-query.ts';
import { findPlatform, platformsWithSecret, platformTitle, titlesWithDeliveredSecret } from '../format/platforms.ts';
import type { Secret } from '../wire.ts';

export function SecretsSection({ id }: { id: string }) {
  const secrets = useQuery(id, () => api.secrets(id));
  const [platform, setPlatform] = useState('');
  const [secret, setSecret] = useState('');
  const [problem, setProblem] = useState('');
  const [busy, setBusy] = useState(false);
  const isAboutPlatform = /^unknown platform/i.test(problem);
  const known = findPlatform(platform);
  const add = async (event: Event): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    try {
      await api.addSecret(id, known?.name ?? (platform.trim() || null), secret);
      setSecret('');
      setProblem('');
      secrets.reload();
      showToast('Secret registered. Stored events are judged with it.');
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
    setBusy(false);
  };
  const change = async (work: () => Promise<unknown>, done = ''): Promise<void> => {
    try {
      await work();
      secrets.reload();
      if (done !== '') showToast(done);
    } catch (error) {
      showError(error);
    }
  };
  const registered = secrets.value?.secrets.filter(one => one.confirmed) ?? [];
  const unconfirmed = secrets.value?.secrets.filter(one => !one.confirmed) ?? [];
  return (
    <section class="card section" id="secrets">
      <h2>Signing secrets</h2>
      <p class="lead">
        With the secret that the platform signs with, every delivery shows whether it is genuine. Register two while you
        rotate. They are stored encrypted and never shown again.
      </p>
      {secrets.problem && <Notice tone="bad">{secrets.problem}</Notice>}
      {!secrets.value && !secrets.problem && <Skeleton rows={1} />}
      {registered.length > 0 && (
        <ul class="rows">
          {registered.map(one => (
            <SecretRow key={one.id} secret={one} onRemove={() => change(() => api.deleteSecret(id, one.id))} />
          ))}
        </ul>
      )}
      {unconfirmed.length > 0 && (
        <>
          <Notice tone="warn" title="Delivered by a handshake, not confirmed">
            Anybody who knows the address can send such a secret. Confirm one only if you have just registered this
            endpoint at the platform, or compared it there. Until then nothing that it signs counts as genuine.
          </Notice>
          <ul class="rows">
            {unconfirmed.map(one => (
              <SecretRow
                key={one.id}
                secret={one}
                onConfirm={() =>
                  change(() => api.confirmSecret(id, one.id), 'Secret confirmed. Stored events are judged with it.')
                }
                onRemove={() => change(() => api.deleteSecret(id, one.id))}
              />
            ))}
          </ul>
        </>
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
          {platformsWithSecret.map(({ name, title }) => (
            <option key={name} value={name}>
              {title}
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
          problem={isAboutPlatform ? '' : problem}
          hint={known && <SecretHint platform={known} />}
        />
        <Button type="submit" busy={busy} disabled={secret === ''}>
          Register
        </Button>
      </form>
      {secrets.value && (
        <LearningWindow
          until={secrets.value.learnSecretsUntil}
          onOpen={() => change(() => api.learnSecretsFor(id, '10m'))}
          onClose={() => change(() => api.learnSecretsFor(id, null))}
        />
      )}
    </section>
  );
}

const SecretHint = ({ platform: { title, secretHint, docsUrl } }: { platform: PlatformDescription }) => (
  <>
    {secretHint === null ? `${title} does not sign its deliveries.` : `${secretHint}.`}{' '}
    <a href={docsUrl} target="_blank" rel="noreferrer">
      {title} documentation
    </a>
  </>
);

type SecretRowProps = { secret: Secret; onConfirm?: () => void; onRemove: () => void };

function SecretRow({ secret: { platform, last4, createdAt }, onConfirm, onRemove }: SecretRowProps) {
  return (
    <li>
      <strong>{platform === null ? 'Any platform' : platformTitle(platform)}</strong>
      <code class="faint">…{last4}</code>
      <span class="faint">
        added <Time at={createdAt} long />
      </span>
      <span class="grow" />
      {onConfirm && (
        <Button onClick={onConfirm} aria-label={`Confirm the secret ending in ${last4}`}>
          Confirm
        </Button>
      )}
      {onConfirm ? (
        <Button onClick={onRemove} aria-label={`Remove the secret ending in ${last4}`}>
          Remove
        </Button>
      ) : (
        <IconButton icon="trash" label={`Remove the secret ending in ${last4}`} onClick={onRemove} />
      )}
    </li>
  );
}

type LearningWindowProps = { until: number | null; onOpen: () => void; onClose: () => void };

const LearningWindow = ({ until, onOpen, onClose }: LearningWindowProps) => (
  <div class="inline-form">
    <p class="lead grow">
      {until === null ? (
        `${titlesWithDeliveredSecret.join(' and ')} send their secret when you register the endpoint there. Just before you do, let Hooktape accept the next one that arrives.`
      ) : (
        <>
          The next secret that a handshake delivers is accepted as confirmed, until <Time at={until} long />.
        </>
      )}
    </p>
    {until === null ? (
      <Button onClick={onOpen}>Accept for 10 minutes</Button>
    ) : (
      <Button onClick={onClose}>Stop accepting</Button>
    )}
  </div>
);
