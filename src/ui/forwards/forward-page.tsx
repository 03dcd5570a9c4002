/* One forward: how it is, what can be done about it, its settings, and the events that it has not delivered. */

import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import type { Endpoint } from '../../features/endpoints/model.ts';
import type { Forward } from '../../features/forwards/model.ts';
import { Empty, Notice, Skeleton } from '../kit/controls.tsx';
import { formatCount } from '../kit/format/time.ts';
import { visibleLine, visibleName } from '../kit/format/visible.ts';
import { Link } from '../kit/navigation.tsx';
import { Time } from '../kit/time.tsx';
import { useTitle } from '../kit/use-title.ts';
import { Deliveries } from './deliveries.tsx';
import { ForwardButtons } from './forward-buttons.tsx';
import { deliveryStates, ForwardState, StateSentence } from './forward-state.tsx';
import { type DeliveryState, forwardsPath } from './forwards-api.ts';
import { useForward } from './use-forwards.ts';
import { countOf } from './wording.ts';

type Props = { endpoint: Pick<Endpoint, 'id' | 'name'>; id: string; state: string | null };

export function ForwardPage({ endpoint, id, state }: Props) {
  const { value: forward, problem, set } = useForward(endpoint.id, id);
  // It stays while counts change, so that the list does not change under the reader.
  const first = useRef<DeliveryState | undefined>(undefined);
  if (forward) first.current ??= firstState(forward);
  const shown = deliveryStates.find(one => one === state) ?? first.current ?? 'waiting';
  const name = forward && visibleName(forward.name);
  useTitle(name ? `${name}, forward` : 'Forward');
  return (
    <main class="page forwards">
      <header class="page-head">
        <div>
          <Link to={forwardsPath(endpoint.id)} class="crumb">
            ← Forwards of {visibleName(endpoint.name)}
          </Link>
          <h1>{name ?? 'Forward'}</h1>
        </div>
        {forward && <ForwardButtons endpointId={endpoint.id} forward={forward} onChange={set} />}
      </header>
      {problem &&
        (forward ? (
          <Notice tone="warn">{problem}</Notice>
        ) : (
          <Empty title="Couldn't load this forward">{problem}</Empty>
        ))}
      {!forward && !problem && <Skeleton rows={3} kind="card" />}
      {forward && (
        <>
          <section class="card section" aria-label="State">
            <div class="forward-line" role="status">
              <ForwardState forward={forward} />
              <span class="wrap">
                to <code>{visibleLine(forward.url)}</code>
              </span>
            </div>
            <StateSentence forward={forward} />
          </section>
          <Deliveries endpointId={endpoint.id} forward={forward} state={shown} onChange={set} />
          <Settings forward={forward} />
        </>
      )}
    </main>
  );
}

/** What needs attention first. */
const firstState = (forward: Forward): DeliveryState =>
  (['failed', 'given_up', 'waiting'] as const).find(state => countOf(forward, state) > 0) ?? 'waiting';

function Settings({ forward }: { forward: Forward }) {
  const { where, mode, orderBy, per, sign, headers, timeoutS, retry } = forward;
  const fact = (label: string, value: ComponentChildren) => (
    <div>
      <dt>{label}</dt>
      <dd>{value}</dd>
    </div>
  );
  return (
    <section class="card section" aria-labelledby="forward-settings">
      <h2 id="forward-settings">Settings</h2>
      <dl class="facts">
        {fact('URL', <code>{visibleLine(forward.url)}</code>)}
        {fact('Events', where === '' ? 'all that are not refused' : <code>{visibleLine(where)}</code>)}
        {fact(
          'Order',
          mode === 'parallel' ? (
            'none: up to six at a time'
          ) : orderBy === null ? (
            'one at a time, oldest first'
          ) : (
            <>
              one at a time for each <code>{visibleLine(orderBy)}</code>, oldest first
            </>
          ),
        )}
        {per === 'delivery' && fact('Attempts', 'only the first of each delivery')}
        {fact('Signature', sign === 'fresh' ? 'signed anew with a stored secret' : 'as captured')}
        {headers.length > 0 &&
          fact(
            'Headers added',
            <ul>
              {headers.map(([header, value], at) => (
                <li key={at}>
                  <code>
                    {visibleLine(header)}: {visibleLine(value)}
                  </code>
                </li>
              ))}
            </ul>,
          )}
        {fact('Timeout', formatCount(timeoutS, 'second'))}
        {fact('Retries', `for ${retry.for}, with ${retry.first} to ${retry.max} between attempts`)}
        {fact('Created', <Time at={forward.createdAt} long />)}
      </dl>
    </section>
  );
}
