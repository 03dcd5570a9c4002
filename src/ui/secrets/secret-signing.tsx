/* Whether the server may sign replays with a saved secret, and to which destinations beyond the generally allowed ones. */

import { useId } from 'preact/hooks';
import type { Secret, SecretChange } from '../../features/secrets/model.ts';
import { IconButton } from '../kit/controls.tsx';
import { readDestination } from '../kit/destination.ts';
import { url } from '../kit/fields.tsx';
import { InlineForm, Inputs, useForm } from '../kit/form.tsx';
import { visibleLine } from '../kit/format/visible.ts';
import { showError } from '../kit/toasts.tsx';

type SigningProps = { secret: Secret; name: string; change: (what: SecretChange) => Promise<void> };

export const SigningSwitch = ({ secret: { maySign }, name, change }: SigningProps) => (
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
export const SigningDestinations = ({ secret: { destinations }, change }: Omit<SigningProps, 'name'>) => (
  <details class="secret-signing">
    <summary class="faint">May sign for {['this server', ...destinations.map(visibleLine)].join(', ')}</summary>
    <div class="col">
      <Destinations destinations={destinations} onChange={next => change({ destinations: next })} />
    </div>
  </details>
);

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
