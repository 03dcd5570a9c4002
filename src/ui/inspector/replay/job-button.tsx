/* Opens the dialog of a replay job for the events that the list shows. */

import { useState } from 'preact/hooks';
import { IconButton } from '../../kit/icon-button.tsx';
import { onDemand } from '../../kit/on-demand.tsx';
import { useActions } from '../../kit/use-hotkeys.ts';

export const JobDialog = onDemand(() => import('./job-dialog.tsx').then(({ JobDialog }) => JobDialog));

export function JobButton({ endpointId, where }: { endpointId: string; where: string }) {
  const [isOpen, setIsOpen] = useState(false);
  const label = where === '' ? 'Replay all events' : 'Replay all that match';
  useActions([{ label, run: () => setIsOpen(true) }]);
  return (
    <>
      <IconButton icon="replay" label={label} onClick={() => setIsOpen(true)} />
      {isOpen && <JobDialog endpointId={endpointId} where={where} onClose={() => setIsOpen(false)} />}
    </>
  );
}
