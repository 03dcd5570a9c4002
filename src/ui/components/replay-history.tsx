/* The past replays of an event: destination, response status, duration, user and time. */

import type { ReplayAttempt } from '../../features/events/model.ts';
import { formatDuration } from '../format/time.ts';
import { visibleLine, visibleName } from '../format/visible.ts';
import { StatusBadge } from './badges.tsx';
import { Empty } from './controls.tsx';
import { Time } from './time.tsx';

export const ReplayHistory = ({ replays }: { replays: ReplayAttempt[] }) =>
  replays.length === 0 ? (
    <Empty title="Not replayed yet">
      A replay sends this event again, byte for byte, to a URL of your choice. Press Replay above, or <kbd>r</kbd>.
    </Empty>
  ) : (
    <div class="scroll-pane">
      <ul class="rows">
        {replays.map(attempt => (
          <li key={`${attempt.createdAt} ${attempt.destination}`} class="attempt">
            <StatusBadge status={attempt.status} ok={attempt.ok} />
            <code class="wrap">{visibleLine(attempt.destination)}</code>
            <span class="faint">{formatDuration(attempt.durationMs)}</span>
            <span class="faint">
              {visibleName(attempt.replayedBy ?? (attempt.formerMember ? 'a former member' : 'unknown'))},{' '}
              <Time at={attempt.createdAt} long />
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
