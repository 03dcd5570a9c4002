/* The replay dialog for "all that match": open while the events are loaded, up to a number that a page can send one after the other. */

import { Button, Notice } from '../../kit/controls.tsx';
import { formatCount } from '../../kit/format/time.ts';
import type { AllPicked } from '../list/use-picks.ts';
import type { LiveList } from '../live/live-list.ts';
import { openJob } from '../replay/job-button.tsx';
import { ReplayDialog } from '../replay/replay-dialog.tsx';
import { LoadProblem, useTargets } from './bulk-dialog.tsx';
import { labelOf, nameOf } from './matching.ts';

const maxReplayed = 500;

type ReplayAllProps = {
  all: AllPicked;
  list: LiveList;
  onSent: (id: string) => void;
  onClose: () => void;
};

export function ReplayAll({ all, list, onSent, onClose }: ReplayAllProps) {
  const { endpointId, bounded, count = 0 } = all;
  const { loaded, found, problem } = useTargets({ all }, list, maxReplayed);
  const isCut = count > maxReplayed;
  /** The dialog of a job takes over the destination. */
  const openAsJob = (initialDest: string): void => {
    onClose();
    void openJob({ endpointId, where: bounded, initialDest });
  };
  return (
    <ReplayDialog
      endpointId={endpointId}
      title={`Replay ${isCut ? `the newest ${maxReplayed} events` : nameOf({ all })}`}
      events={loaded?.map(event => ({ id: event.id, label: labelOf(event) })).reverse()}
      loading={problem ? 'Send' : `Loading ${formatCount(found, 'event')}…`}
      onSent={onSent}
      onClose={onClose}
      notice={typed => (
        <>
          <LoadProblem problem={problem} />
          {isCut && (
            <Notice action={<Button onClick={() => openAsJob(typed)}>Start a replay job</Button>}>
              Replays the newest {maxReplayed} of {count.toLocaleString()} events from this page, which must stay open.
              To send all of them, start a replay job: it runs on the server.
            </Notice>
          )}
        </>
      )}
    />
  );
}
