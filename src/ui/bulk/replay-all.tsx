/* Loads what is to be replayed of "all that match": up to a number that can be sent one after the other from a page. */

import { useEffect, useState } from 'preact/hooks';
import { Button, Dialog, Notice } from '../components/controls.tsx';
import { JobDialog } from '../components/job-button.tsx';
import { formatCount } from '../format/time.ts';
import type { LiveList } from '../live/live-list.ts';
import { useTargets } from './bulk-dialog.tsx';
import { countOf, nameOf, type Targets } from './targets.ts';

const maxReplayed = 500;

type ReplayAllProps = {
  targets: Targets;
  list: LiveList;
  /** Oldest first. */
  onReady: (ids: string[]) => void;
  onClose: () => void;
};

export function ReplayAll({ targets, list, onReady, onClose }: ReplayAllProps) {
  const { loaded, found, problem } = useTargets(targets, list, maxReplayed);
  const [isJob, setIsJob] = useState(false);
  const total = countOf(targets) ?? 0;
  const isCut = total > maxReplayed;
  const go = (): void => {
    onClose();
    onReady(loaded?.map(({ id }) => id).reverse() ?? []);
  };
  useEffect(() => {
    if (loaded && !isCut) go();
  }, [loaded]);
  if (isJob && 'all' in targets)
    return <JobDialog endpointId={targets.all.endpointId} where={targets.all.bounded} onClose={onClose} />;
  return (
    <Dialog title={`Replay ${nameOf(targets)}`} onClose={onClose}>
      {problem && (
        <Notice tone="bad" title="Couldn't load the events">
          {problem}
        </Notice>
      )}
      {isCut && (
        <p>
          Replays the newest {maxReplayed} of {total.toLocaleString()} events from this page. A replay job sends all of
          them from the server, at a pace, also while this page is closed.
        </p>
      )}
      <div class="dialog-actions">
        <Button onClick={onClose}>Cancel</Button>
        {isCut && 'all' in targets && <Button onClick={() => setIsJob(true)}>Replay all as a job</Button>}
        <Button kind="primary" icon="replay" busy={!loaded && !problem} disabled={!loaded} onClick={go}>
          {loaded ? `Replay the newest ${maxReplayed}` : `Loading ${formatCount(found, 'event')}…`}
        </Button>
      </div>
    </Dialog>
  );
}
