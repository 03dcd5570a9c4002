/* An endpoint's signing secrets, what each may sign, and the window in which the next secret that a handshake delivers counts as confirmed. */

import { useId, useRef, useState } from 'preact/hooks';
import type { Secret, SecretChange, SecretInput, SecretList } from '../../features/secrets/model.ts';
import type { PlatformDescription } from '../../platforms/directory.ts';
import { PlatformMark } from '../inspector/event/badges.tsx';
import { ActionButton } from '../kit/action.tsx';
import { api } from '../kit/api.ts';
import { Button, IconButton, Notice } from '../kit/controls.tsx';
import { readDestination } from '../kit/destination.ts';
import { secret, text, url } from '../kit/fields.tsx';
import { InlineForm, Inputs, useForm } from '../kit/form.tsx';
import {
  findPlatform,
  platformsWithSecret,
  platformTitle,
  titlesWithDeliveredSecret,
} from '../kit/format/platforms.ts';
import { formatCount } from '../kit/format/time.ts';
import { visibleLine } from '../kit/format/visible.ts';
import { Loaded } from '../kit/page.tsx';
import type { SchemaOf } from '../kit/schema.ts';
import { Time, Until } from '../kit/time.tsx';
import { showError, showToast } from '../kit/toasts.tsx';
import { useQuery } from '../kit/use-query.ts';

export function SecretsSection({ id }: { id: string }) {
  const secrets = useQuery(id, () => api.secrets(id));
  const [toggled, setToggled] = useState<boolean>();
  const head = useRef<HTMLDivElement>(null);
  const isAdding = toggled ?? secrets.value?.secrets.every(one => !isSaved(one)) ?? false;
  const afterAdding = (): void => {
    secrets.reload();
    setToggled(false);
    head.current?.querySelector('button')?.focus();
  };
  return (
    <section class="card section" id="secrets">
      <div class="line loose spread top" ref={head}>
        <div>
          <h2>Secrets</h2>
          <p class="lead">
            Signatures are checked with these. A secret is stored encrypted and never shown again. While you rotate one,
            save both.
          </p>
        </div>
        <Button icon="plus" aria-expanded={isAdding} onClick={() => setToggled(!isAdding)}>
          Add a secret
        </Button>
      </div>
      <Loaded query={secrets} what="the secrets" rows={1} inCard>
        {list => (
          <>
            {isAdding && <RegisterForm endpointId={id} onRegistered={afterAdding} />}
            <Secrets id={id} list={list} reload={secrets.reload} />
          </>
        )}
      </Loaded>
    </section>
  );
}

const isSaved = ({ confirmed, test }: Secret): boolean => confirmed && !test;

type SecretsProps = { id: string; list: SecretList; reload: () => void };

function Secrets({ id, list, reload }: SecretsProps) {
  const change = async (work: Promise<unknown>): Promise<void> => {
    await work;
    reload();
  };
  const rows = (secrets: readonly Secret[]) => (
    <ul class="rows">
      {secrets.map(one => (
        <SecretRow key={one.id} endpointId={id} secret={one} change={change} />
      ))}
    </ul>
  );
  const saved = list.secrets.filter(isSaved);
  const unconfirmed = list.secrets.filter(one => !one.confirmed);
  const test = list.secrets.filter(one => one.test);
  return (
    <>
      {saved.length > 0 && rows(saved)}
      {saved.some(one => one.maySign) && (
        <p class="hint">
          A secret that may sign replays signs unchanged events that are valid with it, never for connected apps.
        </p>
      )}
      {test.length > 0 && (
        <details>
          <summary class="soft">{formatCount(test.length, 'test secret')}, made for test events</summary>
          <p class="hint">They sign test events of this endpoint, and count for nothing else.</p>
          {rows(test)}
        </details>
      )}
      {unconfirmed.length > 0 && (
        <>
          <Notice tone="warn" title="Sent in a handshake, not confirmed">
            Anyone who knows the URL can send a secret. Confirm it only if you have just registered this URL with the
            platform, or if it matches the one the platform shows. Unconfirmed secrets are not used.
          </Notice>
          {rows(unconfirmed)}
        </>
      )}
      <LearningWindow
        until={list.learnSecretsUntil}
        onChange={time => change(api.changeEndpoint(id, { learnSecretsFor: time }))}
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

type SecretRowProps = { endpointId: string; secret: Secret; change: (work: Promise<unknown>) => Promise<void> };

function SecretRow({ endpointId, secret, change }: SecretRowProps) {
  const { id, platform, last4, createdAt, confirmed, maySign } = secret;
  const onChange = (what: SecretChange) => change(api.changeSecret(endpointId, id, what));
  const confirm = async (): Promise<void> => {
    await change(api.confirmSecret(endpointId, id));
    showToast('Secret confirmed. Existing events are re-checked immediately.');
  };
  const name = `${platform === null ? 'Any platform' : platformTitle(platform)}${last4 && `, ending in ${last4}`}`;
  return (
    <li class="secret-row">
      <PlatformMark platform={platform} />
      <div class="stack">
        <strong>{name}</strong>
        <span class="faint">
          Added <Time at={createdAt} long />
        </span>
        {maySign && <SigningDestinations secret={secret} change={onChange} />}
      </div>
      {confirmed ? (
        <SigningSwitch secret={secret} name={name} change={onChange} />
      ) : (
        <ActionButton act={confirm} aria-label={`Confirm the secret ${name}`}>
          Confirm
        </ActionButton>
      )}
      <IconButton
        icon="trash"
        label={`Remove the secret ${name}`}
        onClick={() => void change(api.deleteSecret(endpointId, id)).catch(showError)}
      />
    </li>
  );
}

type LearningWindowProps = { until: number | null; onChange: (time: string | null) => Promise<void> };

const LearningWindow = ({ until, onChange }: LearningWindowProps) => (
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
    <ActionButton act={() => onChange(until === null ? '10m' : null)}>
      {until === null ? 'Trust for 10 minutes' : 'Stop trusting'}
    </ActionButton>
  </div>
);

type SigningProps = { secret: Secret; name: string; change: (what: SecretChange) => Promise<void> };

const SigningSwitch = ({ secret: { maySign }, name, change }: SigningProps) => (
  <label class="checkbox switch soft">
    <input
      type="checkbox"
      role="switch"
      aria-label={`May sign replays: ${name}`}
      aria-checked={maySign}
      checked={maySign}
      onChange={({ currentTarget }) =>
        change({ maySign: currentTarget.checked }).catch(error => {
          currentTarget.checked = maySign;
          showError(error);
        })
      }
    />
    May sign replays
  </label>
);

/** What a secret may sign for, and below it the form that changes that. */
const SigningDestinations = ({ secret: { destinations }, change }: Omit<SigningProps, 'name'>) => (
  <details class="secret-signing">
    <summary class="faint">May sign for {['this server', ...destinations.map(visibleLine)].join(', ')}</summary>
    <div class="col">
      <Destinations destinations={destinations} onChange={next => change({ destinations: next })} />
    </div>
  </details>
);

const destinationSchema = {
  destination: url({
    label: 'Another destination',
    placeholder: 'https://staging.example.com',
    required: 'Enter a destination.',
  }),
};

type DestinationsProps = { destinations: readonly string[]; onChange: (next: string[]) => Promise<void> };

function Destinations({ destinations, onChange }: DestinationsProps) {
  const id = useId();
  const form = useForm({
    schema: destinationSchema,
    save: ({ destination }: { destination: string }) =>
      onChange([...new Set([...destinations, new URL(destination).origin])]),
  });
  const typed = form.draft.destination;
  const { url: read } = readDestination(typed);
  const origin = read === '' ? '' : new URL(read).origin;
  const hint = origin !== '' && origin !== typed.trim() ? `Will add ${origin}` : '';
  return (
    <>
      <p id={id} class="hint">
        Signed replays may go to this server's own machine (loopback), the destinations in HOOKTAPE_REPLAY_ALLOW, and:
      </p>
      {destinations.length > 0 && (
        <ul class="rows" aria-labelledby={id}>
          {destinations.map(one => (
            <li key={one}>
              <code class="wrap grow">{visibleLine(one)}</code>
              <IconButton
                icon="trash"
                label={`Remove ${visibleLine(one)}`}
                onClick={() => onChange(destinations.filter(other => other !== one)).catch(showError)}
              />
            </li>
          ))}
        </ul>
      )}
      <InlineForm form={form} submit="Add" isLocked={origin === ''}>
        <Inputs form={form} paths={['destination']} texts={{ destination: { hint } }} />
      </InlineForm>
    </>
  );
}
