/* What other pages show of an endpoint's forwards: a mark with the worst state, and the card of the settings. */

import type { Endpoint } from '../../features/endpoints/model.ts';
import { visibleLine, visibleName } from '../kit/format/visible.ts';
import { HeaderMark } from '../kit/header-mark.tsx';
import { Link } from '../kit/navigation.tsx';
import { Card, Loaded } from '../kit/page.tsx';
import { forwardPath, forwardsPath } from './forwards-api.ts';
import { useForwardsSlowly } from './use-forwards.ts';
import { markOf, stateOf } from './wording.ts';

/** For the header of the endpoint. Nothing without forwards. */
export function ForwardsMark({ endpoint: { id } }: { endpoint: Pick<Endpoint, 'id'> }) {
  const { value: forwards = [] } = useForwardsSlowly(id);
  if (forwards.length === 0) return null;
  const { label, tone } = markOf(forwards);
  return (
    <HeaderMark
      tone={tone}
      to={forwardsPath(id)}
      text={label}
      short="Forwards"
      title={forwards.map(one => `${visibleName(one.name)}: ${stateOf(one).label.toLowerCase()}`).join('\n')}
    />
  );
}

/** The card of the settings. */
export function ForwardsSection({ endpoint: { id } }: { endpoint: Endpoint }) {
  const query = useForwardsSlowly(id);
  const hasSome = query.value !== undefined && query.value.length > 0;
  return (
    <Card title="Forwards" id="forwards">
      <Loaded query={query} what="the forwards" rows={1} inCard>
        {forwards =>
          hasSome ? (
            <>
              <p class="lead">Destinations that receive every event. Failed deliveries are retried.</p>
              <ul class="rows">
                {forwards.map(forward => (
                  <li key={forward.id}>
                    <span class={`badge ${stateOf(forward).tone}`}>{stateOf(forward).label}</span>
                    <span class="stack">
                      <Link to={forwardPath(id, forward.id)}>{visibleName(forward.name)}</Link>
                      <code class="wrap faint">{visibleLine(forward.url)}</code>
                    </span>
                  </li>
                ))}
              </ul>
            </>
          ) : (
            <p class="lead">
              A forward delivers every event to a destination and retries until it is accepted. Senders never wait for
              it.
            </p>
          )
        }
      </Loaded>
      <div class="row">
        <Link class="button plain" to={hasSome ? forwardsPath(id) : `${forwardsPath(id)}/new`}>
          {hasSome ? 'All forwards' : 'Add a forward'}
        </Link>
      </div>
    </Card>
  );
}
