/* All forwards of an endpoint. */

import type { Endpoint } from '../../features/endpoints/model.ts';
import { maxForwardsPerEndpoint } from '../../shared/forwards.ts';
import { Empty } from '../kit/controls.tsx';
import { DeclaredNotice } from '../kit/declared.tsx';
import { Icon } from '../kit/icons.tsx';
import { Link } from '../kit/navigation.tsx';
import { Loaded } from '../kit/page.tsx';
import { ForwardCard } from './forward-card.tsx';
import { destinationsPath } from './forwards-api.ts';
import { useForwards } from './use-forwards.ts';

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
