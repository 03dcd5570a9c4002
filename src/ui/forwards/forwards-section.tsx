/* The section of an endpoint's settings that shows its forwards, and links to their page. */

import type { Endpoint } from '../../features/endpoints/model.ts';
import { Notice, Skeleton } from '../kit/controls.tsx';
import { visibleLine, visibleName } from '../kit/format/visible.ts';
import { Link } from '../kit/navigation.tsx';
import { forwardPath, forwardsPath } from './forwards-api.ts';
import { useForwardsSlowly } from './use-forwards.ts';
import { stateOf } from './wording.ts';

export function ForwardsSection({ endpoint: { id } }: { endpoint: Endpoint }) {
  const { value: forwards, problem } = useForwardsSlowly(id);
  const hasSome = forwards !== undefined && forwards.length > 0;
  return (
    <section class="card section" id="forwards">
      <h2>Forwards</h2>
      {problem && <Notice tone="bad">{problem}</Notice>}
      {!forwards && !problem && <Skeleton rows={1} />}
      {forwards && (
        <p class="lead">
          {hasSome
            ? 'Events go on to these URLs until they are accepted there.'
            : 'A forward sends every event of this endpoint on to a URL until it is accepted there. Senders never wait for it.'}
        </p>
      )}
      {hasSome && (
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
      )}
      <div class="button-row">
        <Link class="button plain" to={hasSome ? forwardsPath(id) : `${forwardsPath(id)}/new`}>
          {hasSome ? 'All forwards' : 'Add a forward'}
        </Link>
      </div>
    </section>
  );
}
