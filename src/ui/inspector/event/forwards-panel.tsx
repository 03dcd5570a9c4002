/* The forwards that take an event: how far each has come with it, and what was sent. */

import type { EventDetail } from '../../../features/events/model.ts';
import { visibleName } from '../../kit/format/visible.ts';
import { Link } from '../../kit/navigation.tsx';
import { Until } from '../../kit/time.tsx';
import { ReplayHistory } from '../replay/replay-history.tsx';
import { describeForward, forwardStates } from './way.ts';

export const ForwardsPanel = ({ event }: { event: EventDetail }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable by keyboard.
  <section class="scroll-pane col loose" tabIndex={0} aria-label="Forwards">
    <ul class="rows">
      {event.forwards.map(forward => (
        <li key={forward.id}>
          <span class={`dot ${forwardStates[forward.state].state}`} />
          <div class="stack">
            <Link to={`/app/endpoints/${event.endpointId}/destinations/${forward.id}`}>
              {visibleName(forward.name)}
            </Link>
            <span class="soft">
              {describeForward(forward)}
              {forward.nextAt !== null && (
                <>
                  ; next attempt <Until at={forward.nextAt} />
                </>
              )}
            </span>
          </div>
        </li>
      ))}
    </ul>
    <ReplayHistory event={event} isForwarded />
  </section>
);
