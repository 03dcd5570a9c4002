/*
 * An endpoint's signing secrets: the confirmed ones, the unconfirmed ones that a handshake delivered, and the learning window in which
 * the next delivered secret counts as confirmed.
 */

import type { Secret, SecretInput, SecretList } from '../../features/secrets/model.ts';
import type { PlatformDescription } from '../../platforms/directory.ts';
import { ActionButton } from '../kit/action.tsx';
import { api } from '../kit/api.ts';
import { Notice } from '../kit/controls.tsx';
import { secret, text } from '../kit/fields.tsx';
import { InlineForm, Inputs, useForm } from '../kit/form.tsx';
import {
  findPlatform,
  platformsWithSecret,
  platformTitle,
  titlesWithDeliveredSecret,
} from '../kit/format/platforms.ts';
import { IconButton } from '../kit/icon-button.tsx';
import { Card, Loaded } from '../kit/page.tsx';
import type { SchemaOf } from '../kit/schema.ts';
import { Time } from '../kit/time.tsx';
import { showError, showToast } from '../kit/toasts.tsx';
import { Until } from '../kit/until.tsx';
import { useQuery } from '../kit/use-query.ts';
import { SigningSecrets } from './secret-signing.tsx';

export function SecretsSection({ id }: { id: string }) {
  const secrets = useQuery(id, () => api.secrets(id));
  return (
    <Card
      title="Signing secrets"
      id="secrets"
      lead="Add the platform's signing secret, and Hooktape checks the signature of every event. While you rotate a secret, add both. Secrets are stored encrypted and never shown again."
    >
      <Loaded query={secrets} what="the secrets" rows={1} inCard>
        {list => <Secrets id={id} list={list} reload={secrets.reload} />}
      </Loaded>
    </Card>
  );
}

type SecretsProps = { id: string; list: SecretList; reload: () => void };

function Secrets({ id, list, reload }: SecretsProps) {
  const change = async (work: Promise<unknown>): Promise<void> => {
    await work;
    reload();
  };
  const remove = (secret: Secret) => change(api.deleteSecret(id, secret.id));
  const accept = async (secret: Secret): Promise<void> => {
    await change(api.confirmSecret(id, secret.id));
    showToast('Secret confirmed. Existing events are re-checked immediately.');
  };
  const confirmed = list.secrets.filter(one => one.confirmed);
  const unconfirmed = list.secrets.filter(one => !one.confirmed);
  return (
    <>
      {confirmed.length > 0 && (
        <ul class="rows">
          {confirmed.map(one => (
            <SecretRow key={one.id} secret={one} onRemove={() => remove(one)} />
          ))}
        </ul>
      )}
      <SigningSecrets endpointId={id} secrets={confirmed} onChanged={reload} />
      {unconfirmed.length > 0 && (
        <>
          <Notice tone="warn" title="Sent in a handshake, not confirmed">
            Anyone who knows the URL can send a secret. Confirm it only if you have just registered this URL with the
            platform, or if it matches the one the platform shows. Unconfirmed secrets are not used.
          </Notice>
          <ul class="rows">
            {unconfirmed.map(one => (
              <SecretRow key={one.id} secret={one} onConfirm={() => accept(one)} onRemove={() => remove(one)} />
            ))}
          </ul>
        </>
      )}
      <RegisterForm endpointId={id} onRegistered={reload} />
      <LearningWindow
        until={list.learnSecretsUntil}
        onOpen={() => change(api.changeEndpoint(id, { learnSecretsFor: '10m' }))}
        onClose={() => change(api.changeEndpoint(id, { learnSecretsFor: null }))}
      />
    </>
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

type SecretRowProps = { secret: Secret; onConfirm?: () => Promise<void>; onRemove: () => Promise<void> };

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
        <ActionButton act={onConfirm} aria-label={`Confirm the secret ending in ${last4}`}>
          Confirm
        </ActionButton>
      )}
      {onConfirm ? (
        <ActionButton act={onRemove} aria-label={`Remove the secret ending in ${last4}`}>
          Remove
        </ActionButton>
      ) : (
        <IconButton
          icon="trash"
          label={`Remove the secret ending in ${last4}`}
          onClick={() => void onRemove().catch(showError)}
        />
      )}
    </li>
  );
}

type LearningWindowProps = { until: number | null; onOpen: () => Promise<void>; onClose: () => Promise<void> };

const LearningWindow = ({ until, onOpen, onClose }: LearningWindowProps) => (
  <div class="inline-form">
    <p class="lead grow">
      {until === null ? (
        `${titlesWithDeliveredSecret.join(' and ')} send their secret when you register the URL. Just before you register it, let Hooktape trust the next secret.`
      ) : (
        <>
          The next secret received in a handshake is trusted. Ends <Until at={until} />.
        </>
      )}
    </p>
    {until === null ? (
      <ActionButton act={onOpen}>Trust for 10 minutes</ActionButton>
    ) : (
      <ActionButton act={onClose}>Stop trusting</ActionButton>
    )}
  </div>
);
