/* One forward: how it is, what can be done about it, its settings, and the events that it has not delivered. */

import { useRef } from 'preact/hooks';
import type { Forward } from '../../features/forwards/model.ts';
import { Button, Code } from '../kit/controls.tsx';
import { formatCount } from '../kit/format/time.ts';
import { visibleLine, visibleName, visibleText } from '../kit/format/visible.ts';
import { Card, Facts, Loaded, Page } from '../kit/page.tsx';
import { Time } from '../kit/time.tsx';
import { Deliveries } from './deliveries.tsx';
import { ForwardButtons } from './forward-buttons.tsx';
import { replaceSecret } from './forward-secret.tsx';
import { deliveryStates, ForwardFigures, ForwardState, StateSentence } from './forward-state.tsx';
import { type DeliveryState, destinationsPath } from './forwards-api.ts';
import { useForward } from './use-forwards.ts';
import { countOf } from './wording.ts';

type Props = { endpointId: string; id: string; state: string | null };

export function ForwardPage({ endpointId, id, state }: Props) {
  const query = useForward(endpointId, id);
  const forward = query.value;
  // It stays while counts change, so that the list does not change under the reader.
  const first = useRef<DeliveryState | undefined>(undefined);
  if (forward) first.current ??= firstState(forward);
  const shown = deliveryStates.find(one => one === state) ?? first.current;
  const name = forward && visibleName(forward.name);
  return (
    <Page
      title={name ?? 'Forward'}
      {...(name && { tab: `${name}, forward` })}
      back={{ to: destinationsPath(endpointId), label: 'Destinations' }}
      actions={forward && <ForwardButtons endpointId={endpointId} forward={forward} onChange={query.set} />}
    >
      <Loaded query={query} what="this forward">
        {forward => (
          <>
            <section class="card forward-card" aria-label="State">
              <div class="stack">
                <div role="status">
                  <ForwardState forward={forward} isStale={query.problem !== ''} />
                </div>
                <code class="soft">{visibleLine(forward.url)}</code>
              </div>
              <ForwardFigures endpointId={endpointId} forward={forward} />
              {query.problem === '' && (
                <div class="forward-trouble full">
                  <StateSentence forward={forward} />
                </div>
              )}
            </section>
            <Deliveries endpointId={endpointId} forward={forward} state={shown} onChange={query.set} />
            <Settings endpointId={endpointId} forward={forward} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

const firstState = (forward: Forward): DeliveryState | undefined =>
  (['failed', 'given_up', 'waiting'] as const).find(state => countOf(forward, state) > 0);

function Signature({ endpointId, forward }: { endpointId: string; forward: Forward }) {
  const { sign, request } = forward;
  if (sign === 'fresh') return <>Re-signed with a saved secret</>;
  if (sign === 'as-captured') return <>{request === null ? 'As captured' : 'None'}</>;
  return (
    <span class="row">
      Standard Webhooks, with its own secret
      <Button icon="key" onClick={() => replaceSecret(endpointId, forward)}>
        New secret
      </Button>
    </span>
  );
}

function Settings({ endpointId, forward }: { endpointId: string; forward: Forward }) {
  const { where, mode, per, request, headers, timeoutS, retry } = forward;
  return (
    <Card title="Settings">
      <Facts
        facts={[
          ['URL', <code>{visibleLine(forward.url)}</code>],
          ['Events', where === '' ? 'All except refused' : <code>{visibleLine(where)}</code>],
          ['Order', mode === 'parallel' ? 'Unordered, six at once' : <Order forward={forward} />],
          per === 'delivery' && ['Attempts', 'Only the first of each delivery'],
          [
            'Request',
            request === null ? (
              'The event as it came'
            ) : (
              <>
                <code>
                  {request.method} {visibleLine(request.contentType)}
                </code>
                <Code>{visibleText(request.body)}</Code>
              </>
            ),
          ],
          ['Signature', <Signature endpointId={endpointId} forward={forward} />],
          headers.length > 0 && ['Headers added', <Headers headers={headers} />],
          ['Timeout', formatCount(timeoutS, 'second')],
          ['Retries', `For ${retry.for}, every ${retry.first} to ${retry.max}`],
          ['Created', <Time at={forward.createdAt} long />],
        ]}
      />
    </Card>
  );
}

const Order = ({ forward: { orderBy } }: { forward: Forward }) =>
  orderBy === null ? (
    'In order, one at a time'
  ) : (
    <>
      In order per <code>{visibleLine(orderBy)}</code>, oldest first
    </>
  );

const Headers = ({ headers }: Pick<Forward, 'headers'>) => (
  <ul>
    {headers.map(([header, value], at) => (
      <li key={at}>
        <code>
          {visibleLine(header)}: {visibleLine(value)}
        </code>
      </li>
    ))}
  </ul>
);
