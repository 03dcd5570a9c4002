/* Below the list while events are picked: how many, and what can be done with them. */

import { useState } from 'preact/hooks';
import { maxChosenEvents, maxExportedIds } from '../../../shared/limits.ts';
import { Button, IconButton } from '../../kit/controls.tsx';
import { formatCount } from '../../kit/format/time.ts';
import { currentLocation, Link, navigate } from '../../kit/navigation.tsx';
import { useWorkspace } from '../../kit/workspace.tsx';
import { openExport } from '../list/export-dialog.tsx';
import type { AllPicked, Picks } from '../list/use-picks.ts';
import type { LiveList } from '../live/live-list.ts';
import { openJob } from '../replay/job-button.tsx';
import { setInspectorState } from '../state/inspector-state.ts';
import { DeletePicked } from './delete-dialog.tsx';
import { PinPicked, TagPicked } from './mark-dialogs.tsx';
import type { Targets } from './matching.ts';

type BulkBarProps = {
  endpointId: string;
  eventId: string;
  where: string;
  list: LiveList;
  picks: Picks;
  onReplay: () => void;
  onReload: () => void;
};

/** These dialogs work on the live list, and end with the bar. */
type Action = 'pin' | 'tag' | 'delete';

export function BulkBar(props: BulkBarProps) {
  const { endpointId, where, picks, onReplay } = props;
  const { all, pickedIds, selectAll, clearPicks } = picks;
  const { session } = useWorkspace();
  const [action, setAction] = useState<Action>();
  const targets: Targets = all ? { all } : { ids: pickedIds };
  const isEmpty = all?.count === 0;
  const isCounting = all !== undefined && all.count === undefined;
  const isTooManyForJob = !all && pickedIds.length > maxChosenEvents;
  const isTooManyToExport = !all && pickedIds.length > maxExportedIds;
  const base = `/app/endpoints/${endpointId}`;
  return (
    <section class="bulk-bar col rigid" aria-label="Selected events">
      <div class="row">
        <strong role="status">{all ? allText(all) : `${pickedIds.length.toLocaleString()} selected`}</strong>
        {!all && (
          <Button kind="quiet" onClick={selectAll}>
            {where === '' ? 'Select all events' : 'Select all that match'}
          </Button>
        )}
        <span class="grow" />
        <IconButton icon="close" label="Clear the selection" title="Clear the selection (Esc)" onClick={clearPicks} />
      </div>
      <div class="row">
        <Button kind="primary" icon="replay" disabled={isEmpty || isCounting} onClick={onReplay}>
          Replay
        </Button>
        <Button
          kind="quiet"
          title={isTooManyForJob ? `Up to ${maxChosenEvents} events, or all that match` : undefined}
          disabled={isEmpty || isCounting || isTooManyForJob}
          onClick={() => openJob({ endpointId, where: all?.bounded ?? '', ...(!all && { ids: pickedIds }) })}
        >
          Start a replay job
        </Button>
        {!all && pickedIds.length === 2 && (
          <Link class="button plain" to={`${base}/compare?a=${pickedIds[0]}&b=${pickedIds[1]}`}>
            Compare
          </Link>
        )}
        <span class="grow" />
        <IconButton icon="pin" label="Pin" disabled={isEmpty || isCounting} onClick={() => setAction('pin')} />
        <IconButton icon="tag" label="Tag" disabled={isEmpty || isCounting} onClick={() => setAction('tag')} />
        <IconButton
          icon="download"
          label={isTooManyToExport ? `Export: up to ${maxExportedIds} events, or all that match` : 'Export'}
          disabled={isEmpty || isTooManyToExport}
          onClick={() =>
            openExport('Export events', { endpointId, ...(all ? { where: all.bounded } : { ids: pickedIds }) })
          }
        />
        {session.role === 'owner' && (
          <IconButton
            icon="trash"
            label="Delete"
            disabled={isEmpty || isCounting}
            onClick={() => setAction('delete')}
          />
        )}
      </div>
      {action && <ActionDialog {...props} action={action} targets={targets} onClose={() => setAction(undefined)} />}
    </section>
  );
}

function allText({ count, where }: AllPicked): string {
  if (count === undefined) return 'Counting…';
  return `All ${formatCount(count, 'event')}${where === '' ? '' : ' that match'} selected`;
}

type ActionDialogProps = BulkBarProps & { action: Action; targets: Targets; onClose: () => void };

function ActionDialog({ action, targets, onClose, ...props }: ActionDialogProps) {
  const { endpointId, eventId, list, picks, onReload } = props;
  const { reloadEndpoints } = useWorkspace();
  const onDeleted = (ids: string[] | undefined): void => {
    reloadEndpoints();
    if (ids) {
      list.remove(ids);
      setInspectorState({ picked: picks.pickedIds.filter(id => !ids.includes(id)) });
    } else {
      picks.clearPicks();
      onReload();
    }
    // The deleted event must not stay open.
    const { query } = currentLocation();
    if (eventId && (ids ? ids.includes(eventId) : true))
      navigate(`/app/endpoints/${endpointId}${query.size > 0 ? `?${query}` : ''}`, { replace: true });
  };
  switch (action) {
    case 'pin':
      return <PinPicked targets={targets} list={list} onClose={onClose} />;
    case 'tag':
      return <TagPicked targets={targets} list={list} onClose={onClose} />;
    case 'delete':
      return <DeletePicked targets={targets} list={list} onDeleted={onDeleted} onClose={onClose} />;
  }
}
