/*
 * An endpoint's signing secrets: the confirmed ones, the unconfirmed ones that a handshake delivered, and the learning window in which
 * the next delivered secret counts as confirmed.
 */

import { useState } from 'preact/hooks';
import type { Secret } from '../../features/secrets/model.ts';
import type { PlatformDescription } from '../../platforms/directory.ts';
import { api } from '../api.ts';
import { Button, Field, Notice, Skeleton } from '../components/controls.tsx';
import { IconButton } from '../components/icon-button.tsx';
import { SigningSecrets } from '../components/secret-signing.tsx';
import { Time } from '../components/time.tsx';
import { showError, showToast } from '../components/toasts.tsx';
import { useQuery } from '../components/use-query.ts';
import { findPlatform, platformsWithSecret, platformTitle, titlesWithDeliveredSecret } from '../format/platforms.ts';

export function SecretsSection({ id }: { id: string }) {
  const secrets = useQuery(id, () => api.secrets(id));
  const change = async (work: () => Promise<unknown>, message = ''): Promise<void> => {
    try {
      await work();
      secrets.reload();
      if (message !== '') showToast(message);
    } catch (error) {
      showError(error);
    }
  };
  const remove = (secret: Secret): Promise<void> => change(() => api.deleteSecret(id, secret.id));
  const confirm = (secret: Secret): Promise<void> =>
    change(() => api.confirmSecret(id, secret.id), 'Secret confirmed. Stored events are verified again.');
  const confirmed = secrets.value?.secrets.filter(one => one.confirmed) ?? [];
  const unconfirmed = secrets.value?.secrets.filter(one => !one.confirmed) ?? [];
  return (
    <section class="card section" id="secrets">
      <h2>Signing secrets</h2>
      <p class="lead">
        With the platform's signing secret, Hooktape verifies the signature of every delivery. Register both secrets
        during a rotation. Secrets are stored encrypted and never shown again.
      </p>
      {secrets.problem && <Notice tone="bad">{secrets.problem}</Notice>}
      {!secrets.value && !secrets.problem && <Skeleton rows={1} />}
      {confirmed.length > 0 && (
        <ul class="rows">
          {confirmed.map(one => (
            <SecretRow key={one.id} secret={one} onRemove={() => remove(one)} />
          ))}
        </ul>
      )}
      <SigningSecrets endpointId={id} secrets={confirmed} onChanged={secrets.reload} />
      {unconfirmed.length > 0 && (
        <>
          <Notice tone="warn" title="Delivered by a handshake, not confirmed">
            Anyone who knows the URL can send such a secret. Confirm it only if you have just registered this endpoint
            with the platform, or compared it with the one shown there. Until then, it is not used to verify deliveries.
          </Notice>
          <ul class="rows">
            {unconfirmed.map(one => (
              <SecretRow key={one.id} secret={one} onConfirm={() => confirm(one)} onRemove={() => remove(one)} />
            ))}
          </ul>
        </>
      )}
      <RegisterForm endpointId={id} onRegistered={secrets.reload} />
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

function RegisterForm({ endpointId, onRegistered }: { endpointId: string; onRegistered: () => void }) {
  const [platform, setPlatform] = useState('');
  const [secret, setSecret] = useState('');
  const [problem, setProblem] = useState('');
  const [isBusy, setIsBusy] = useState(false);
  const isPlatformProblem = /^unknown platform/i.test(problem);
  const known = findPlatform(platform);
  const register = async (event: Event): Promise<void> => {
    event.preventDefault();
    setIsBusy(true);
    try {
      await api.addSecret(endpointId, known?.name ?? (platform.trim() || null), secret);
      setSecret('');
      setProblem('');
      onRegistered();
      showToast('Secret registered. Stored events are verified again.');
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
    setIsBusy(false);
  };
  return (
    <form class="inline-form" onSubmit={register}>
      <Field
        label="Platform"
        list="platforms"
        value={platform}
        onText={setPlatform}
        placeholder="any"
        problem={isPlatformProblem ? problem : ''}
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
        problem={isPlatformProblem ? '' : problem}
        hint={known && <SecretHint platform={known} />}
      />
      <Button type="submit" busy={isBusy} disabled={secret === ''}>
        Register
      </Button>
    </form>
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
        `${titlesWithDeliveredSecret.join(' and ')} send their secret in a handshake when you register the endpoint with them. Just before that, let Hooktape accept the next secret.`
      ) : (
        <>
          The next secret delivered by a handshake counts as confirmed, until <Time at={until} long />.
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
