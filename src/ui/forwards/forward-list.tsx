/* All forwards of an endpoint: where each leads and what it sent; while something is wrong, also what waits, since when and why. */

import type { Endpoint } from '../../features/endpoints/model.ts';
import type { Forward } from '../../features/forwards/model.ts';
import { maxForwardsPerEndpoint } from '../../shared/forwards.ts';
import { Empty } from '../kit/controls.tsx';
import { visibleLine, visibleName } from '../kit/format/visible.ts';
import { Icon } from '../kit/icons.tsx';
import { Link } from '../kit/navigation.tsx';
import { DeclaredNotice, Loaded } from '../kit/page.tsx';
import { AskButton, PauseButton } from './forward-buttons.tsx';
import { ForwardCounts, ForwardFigures, ForwardState, StateSentence } from './forward-state.tsx';
import { destinationsPath, forwardPath } from './forwards-api.ts';
import { useForwards } from './use-forwards.ts';
import { isTroubled } from './wording.ts';

export function ForwardsSection({ endpoint }: { endpoint: Pick<Endpoint, 'id' | 'declared'> }) {
  const query = useForwards(endpoint.id);
  const amount = query.value?.length ?? 0;
  const add = (label: string) => (
    <Link class="button primary" to={`${destinationsPath(endpoint.id)}/new`}>
      <Icon name="plus" />
      {label}
    </Link>
  );
  return (
    <section class="col loose" aria-labelledby="forwards">
      <div class="page-head line loose spread">
        <div>
          <h2 id="forwards">Forwards</h2>
          <p class="soft">Send every event on as it arrives, until the destination accepts it.</p>
        </div>
        {amount > 0 &&
          (amount < maxForwardsPerEndpoint ? (
            add('New forward')
          ) : (
            <span class="faint">Limit reached: an endpoint can have {maxForwardsPerEndpoint} forwards.</span>
          ))}
      </div>
      {endpoint.declared && <DeclaredNotice what="forwards" />}
      <Loaded query={query} what="the forwards">
        {forwards =>
          forwards.length === 0 ? (
            <Empty title="No forwards" action={add('Add a forward')}>
              A forward delivers every event to a destination and retries until it is accepted. Senders never wait for
              it; while the destination is down, events are queued on disk.
            </Empty>
          ) : (
            <>
              <ul class="col">
                {forwards.map(forward => (
                  <ForwardCard
                    key={forward.id}
                    endpointId={endpoint.id}
                    forward={forward}
                    isStale={query.problem !== ''}
                    onChange={changed => query.set(forwards.map(one => (one.id === changed.id ? changed : one)))}
                  />
                ))}
              </ul>
              <p class="hint">
                <Link to={`/app/endpoints/${endpoint.id}/alerts?new=forward_stuck`}>Add an alert</Link> to get notified
                when a forward is stuck.
              </p>
            </>
          )
        }
      </Loaded>
    </section>
  );
}

type ForwardCardProps = {
  endpointId: string;
  forward: Forward;
  /** The last look at it has failed. */
  isStale: boolean;
  onChange: (forward: Forward) => void;
};

const ForwardCard = ({ endpointId, forward, isStale, onChange }: ForwardCardProps) => (
  <li class="card forward-card">
    <div class="stack">
      <div class="row">
        <h3 class="breaks">
          <Link to={forwardPath(endpointId, forward.id)}>{visibleName(forward.name)}</Link>
        </h3>
        <ForwardState forward={forward} isStale={isStale} />
      </div>
      <code class="cut soft" title={visibleLine(forward.url)}>
        {visibleLine(forward.url)}
      </code>
      <Takes forward={forward} />
    </div>
    <ForwardFigures endpointId={endpointId} forward={forward} />
    {isTroubled(forward) && (
      <div class="forward-trouble row full">
        {!isStale && <StateSentence forward={forward} />}
        <ForwardCounts endpointId={endpointId} forward={forward} />
        <div class="row">
          <AskButton endpointId={endpointId} forward={forward} onChange={onChange} />
          <PauseButton endpointId={endpointId} forward={forward} onChange={onChange} />
        </div>
      </div>
    )}
  </li>
);

/** Which events it takes, in which order, and what it sends for them. */
const Takes = ({ forward: { where, mode, orderBy, request, sign } }: { forward: Forward }) => (
  <span class="faint breaks">
    {where === '' ? (
      'All except refused'
    ) : (
      <>
        Only <code>{visibleLine(where)}</code>
      </>
    )}
    {mode === 'ordered' && ' · in order'}
    {mode === 'ordered' && orderBy !== null && (
      <>
        {' '}
        per <code>{visibleLine(orderBy)}</code>
      </>
    )}
    {request !== null && ` · sends ${request.method} ${visibleLine(request.contentType)} from a template`}
    {sign === 'own' && ' · signed with its own secret'}
    {sign === 'fresh' && ' · re-signed'}
  </span>
);
