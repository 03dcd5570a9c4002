/* Whether the server may sign replays with a stored secret, and to which destinations beyond the generally allowed ones. */

import { useId } from 'preact/hooks';
import type { Secret } from '../../features/secrets/model.ts';
import { api } from '../kit/api.ts';
import { Checkbox } from '../kit/controls.tsx';
import { readDestination } from '../kit/destination.ts';
import { url } from '../kit/fields.tsx';
import { InlineForm, Inputs, useForm } from '../kit/form.tsx';
import { platformTitle } from '../kit/format/platforms.ts';
import { visibleLine } from '../kit/format/visible.ts';
import { IconButton } from '../kit/icon-button.tsx';
import { showError } from '../kit/toasts.tsx';

type SigningSecretsProps = { endpointId: string; secrets: readonly Secret[]; onChanged: () => void };

export const SigningSecrets = ({ endpointId, secrets, onChanged }: SigningSecretsProps) => (
  <>
    {secrets.map(one => (
      <SecretSigning key={one.id} endpointId={endpointId} secret={one} onChanged={onChanged} />
    ))}
  </>
);

type SecretSigningProps = { endpointId: string; secret: Secret; onChanged: () => void };

function SecretSigning({ endpointId, secret, onChanged }: SecretSigningProps) {
  const { maySign, destinations, platform, last4 } = secret;
  const name = `${platform === null ? 'any platform' : platformTitle(platform)}${last4 ? `, ending in ${last4}` : ''}`;
  const change = async (what: { maySign?: boolean; destinations?: string[] }): Promise<void> => {
    try {
      await api.changeSecret(endpointId, secret.id, what);
      onChanged();
    } catch (error) {
      showError(error);
    }
  };
  return (
    <details class="secret-signing drawer">
      <summary>
        Signing replays: {name} <span class="faint">{summaryOf(secret)}</span>
      </summary>
      <div class="col">
        <Checkbox
          label={`Let the server sign replays with this secret (${name})`}
          hint="Re-signs with the current time, only unchanged events that are valid with this secret, never for connected apps. The secret is never shown."
          checked={maySign}
          onChange={isOn => void change({ maySign: isOn })}
        />
        {maySign && <Destinations destinations={destinations} onChange={next => change({ destinations: next })} />}
      </div>
    </details>
  );
}

const summaryOf = ({ maySign, destinations }: Secret): string => {
  if (!maySign) return 'off';
  return destinations.length === 0 ? 'to loopback' : `to loopback and ${destinations.map(visibleLine).join(', ')}`;
};

const schema = {
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
    schema,
    initial: {},
    isNew: true,
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
                onClick={() => onChange(destinations.filter(other => other !== one))}
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
