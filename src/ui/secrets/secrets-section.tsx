/*
 * An endpoint's signing secrets: the confirmed ones, the unconfirmed ones that a handshake delivered, and the learning window in which
 * the next delivered secret counts as confirmed.
 */

import type { Secret, SecretInput } from '../../features/secrets/model.ts';
import type { PlatformDescription } from '../../platforms/directory.ts';
import { api } from '../kit/api.ts';
import { Button, Notice, Skeleton } from '../kit/controls.tsx';
import { secret, text } from '../kit/fields.tsx';
import { InlineForm, Inputs, useForm } from '../kit/form.tsx';
import {
  findPlatform,
  platformsWithSecret,
  platformTitle,
  titlesWithDeliveredSecret,
} from '../kit/format/platforms.ts';
import { IconButton } from '../kit/icon-button.tsx';
import type { SchemaOf } from '../kit/schema.ts';
import { Time } from '../kit/time.tsx';
import { showError, showToast } from '../kit/toasts.tsx';
import { Until } from '../kit/until.tsx';
import { useQuery } from '../kit/use-query.ts';
import { SigningSecrets } from './secret-signing.tsx';

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
    change(() => api.confirmSecret(id, secret.id), 'Secret confirmed. Existing events are re-checked immediately.');
  const confirmed = secrets.value?.secrets.filter(one => one.confirmed) ?? [];
  const unconfirmed = secrets.value?.secrets.filter(one => !one.confirmed) ?? [];
  return (
    <section class="card section" id="secrets">
      <h2>Signing secrets</h2>
      <p class="lead">
        Add the platform's signing secret, and Hooktape checks the signature of every event. While you rotate a secret,
        add both. Secrets are stored encrypted and never shown again.
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
          <Notice tone="warn" title="Sent in a handshake, not confirmed">
            Anyone who knows the URL can send a secret. Confirm it only if you've just registered this URL with the
            platform, or if it matches the one shown there. Until then, it isn't used to check signatures.
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

const schema = {
  platform: {
    ...text({ label: 'Platform', list: 'platforms', placeholder: 'any' }),
    to: (typed: string) => findPlatform(typed)?.name ?? (typed.trim() || null),
  },
  secret: secret({ label: 'Secret', required: 'Enter the secret.' }),
} satisfies SchemaOf<SecretInput>;

function RegisterForm({ endpointId, onRegistered }: { endpointId: string; onRegistered: () => void }) {
  const form = useForm({
    schema,
    initial: {},
    isNew: true,
    messageAt: 'secret',
    save: (request: SecretInput) => api.addSecret(endpointId, request),
    onSaved() {
      onRegistered();
      showToast('Secret added. Existing events are re-checked immediately.');
    },
  });
  const known = findPlatform(form.draft.platform);
  return (
    <InlineForm form={form} submit="Add secret" isLocked={form.draft.secret === ''}>
      <Inputs
        form={form}
        paths={['platform', 'secret']}
        texts={{ secret: { hint: known && <SecretHint platform={known} /> } }}
      />
      <datalist id="platforms">
        {platformsWithSecret.map(({ name, title }) => (
          <option key={name} value={name}>
            {title}
          </option>
        ))}
      </datalist>
    </InlineForm>
  );
}

const SecretHint = ({ platform: { title, secretHint, docsUrl } }: { platform: PlatformDescription }) => (
  <>
    {secretHint === null ? `${title} doesn't sign its deliveries.` : `${secretHint}.`}{' '}
    <a href={docsUrl} target="_blank" rel="noreferrer">
      {title} documentation
    </a>
  </>
);

type SecretRowProps = { secret: Secret; onConfirm?: () => void; onRemove: () => void };

function SecretRow({ secret: { platform, last4, createdAt, test }, onConfirm, onRemove }: SecretRowProps) {
  return (
    <li>
      <strong>{platform === null ? 'Any platform' : platformTitle(platform)}</strong>
      {test && <span class="badge">Test secret</span>}
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
        `${titlesWithDeliveredSecret.join(' and ')} send their secret in a handshake when you register the URL with them. Just before you do, let Hooktape trust the next secret.`
      ) : (
        <>
          The next secret sent in a handshake is trusted. This ends <Until at={until} />.
        </>
      )}
    </p>
    {until === null ? (
      <Button onClick={onOpen}>Trust for 10 minutes</Button>
    ) : (
      <Button onClick={onClose}>Stop trusting</Button>
    )}
  </div>
);
