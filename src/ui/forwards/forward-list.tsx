/* All forwards of an endpoint: where they lead, what waits, since when, and why. */

import type { Endpoint } from '../../features/endpoints/model.ts';
import type { Forward } from '../../features/forwards/model.ts';
import { maxForwardsPerEndpoint } from '../../shared/forwards.ts';
import { Empty } from '../kit/controls.tsx';
import { DeclaredNotice } from '../kit/declared.tsx';
import { visibleLine, visibleName } from '../kit/format/visible.ts';
import { Link } from '../kit/navigation.tsx';
import { Loaded } from '../kit/page.tsx';
import { ForwardFigures, ForwardState, StateSentence } from './forward-state.tsx';
import { destinationsPath, forwardPath } from './forwards-api.ts';
import { useForwards } from './use-forwards.ts';

export function ForwardsSection({ endpoint }: { endpoint: Pick<Endpoint, 'id' | 'declared'> }) {
  const query = useForwards(endpoint.id);
  const amount = query.value?.length ?? 0;
  const add = (label: string) => (
    <Link class="button primary" to={`${destinationsPath(endpoint.id)}/new`}>
      {label}
    </Link>
  );
  return (
    <section class="col loose" aria-labelledby="forwards">
      <div class="page-head line loose spread">
        <h2 id="forwards">Forwards</h2>
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
                  <ForwardCard key={forward.id} endpointId={endpoint.id} forward={forward} />
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

const ForwardCard = ({ endpointId, forward }: { endpointId: string; forward: Forward }) => (
  <li class="card forward-card box col">
    <div class="row baseline">
      <ForwardState forward={forward} />
      <h3 class="grow breaks">
        <Link to={forwardPath(endpointId, forward.id)}>{visibleName(forward.name)}</Link>
      </h3>
    </div>
    <p class="breaks">
      <code>{visibleLine(forward.url)}</code>
      {forward.where !== '' && (
        <>
          {' '}
          <span class="faint">only</span> <code>{visibleLine(forward.where)}</code>
        </>
      )}
      {forward.mode === 'ordered' && (
        <>
          {' '}
          <span class="faint">
            in order{forward.orderBy !== null && ' per '}
            {forward.orderBy !== null && <code>{visibleLine(forward.orderBy)}</code>}
          </span>
        </>
      )}
    </p>
    <StateSentence forward={forward} />
    <ForwardFigures endpointId={endpointId} forward={forward} />
  </li>
);
