/* Asks before many events are retried or skipped, and says how many they are. */

import { useEffect, useState } from 'preact/hooks';
import type { Forward, ForwardSelection } from '../../features/forwards/model.ts';
import { FilterError } from '../../shared/filter/filter.ts';
import { FilterField } from '../inspector/filter/filter-field.tsx';
import { parse } from '../inspector/filter/filter-text.ts';
import { useSeen } from '../inspector/filter/use-seen.ts';
import { Button, Dialog, Notice } from '../kit/controls.tsx';
import { formatCount } from '../kit/format/time.ts';
import { visibleLine } from '../kit/format/visible.ts';
import { showToast } from '../kit/toasts.tsx';
import { forwardsApi } from './forwards-api.ts';
import { type Act, actWording } from './wording.ts';

/** The count waits until typing pauses. */
const settleMs = 250;
const noFields: readonly string[] = [];

type Props = {
  endpointId: string;
  forward: Forward;
  act: Act;
  onChange: (forward: Forward) => void;
  onClose: () => void;
};

export function ActDialog({ endpointId, forward, act, onChange, onClose }: Props) {
  const isFiltered = act === 'retry-matching' || act === 'skip-matching';
  const verb = act === 'retry-matching' || act === 'retry-given-up' ? 'retry' : 'skip';
  const [where, setWhere] = useState('');
  const seen = useSeen(endpointId);
  const [isBusy, setIsBusy] = useState(false);
  const [problem, setProblem] = useState('');
  const isReadable = !isFiltered || (where.trim() !== '' && !(parse(where) instanceof FilterError));
  const selection: ForwardSelection | undefined = isReadable ? (isFiltered ? { where: where.trim() } : {}) : undefined;
  const { matched, countProblem } = useCount(endpointId, forward.id, verb, selection);
  const { title, text, button } = actWording(act, forward);
  const run = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (!selection || !matched || isBusy) return;
    setIsBusy(true);
    try {
      onChange(await forwardsApi.act(endpointId, forward.id, verb, selection));
      onClose();
      showToast(`${formatCount(matched, 'event')} ${verb === 'retry' ? 'to be sent again.' : 'skipped.'}`);
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
      setIsBusy(false);
    }
  };
  const counted = matched === undefined ? (selection ? 'Counting…' : '') : countText(matched, isFiltered);
  return (
    <Dialog title={title} onClose={onClose} wide={isFiltered}>
      <form class={isFiltered ? 'forward-act filtered' : 'forward-act'} onSubmit={run}>
        <p>{text}</p>
        {isFiltered && (
          <FilterField
            label="Filter"
            input={{ value: where, problem: '', change: setWhere }}
            seen={seen}
            placeholder="type:order.* received>2h"
            without={noFields}
            onEscape={onClose}
          />
        )}
        {verb === 'retry' && (
          <p class="wrap">
            They go to <code>{visibleLine(forward.url)}</code>
            {forward.state === 'paused' && ', once the forward is resumed'}.
          </p>
        )}
        <p class="faint" role="status">
          {countProblem || counted}
        </p>
        {problem && <Notice tone="bad">{problem}</Notice>}
        <div class="dialog-actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button
            type="submit"
            kind={verb === 'retry' ? 'primary' : 'danger'}
            busy={isBusy}
            disabled={!selection || !matched}
          >
            {matched ? button(matched) : verb === 'retry' ? 'Retry' : 'Skip'}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

const countText = (matched: number, isFiltered: boolean): string =>
  matched === 0
    ? isFiltered
      ? 'No event of this list matches.'
      : 'There is none any more.'
    : `${formatCount(matched, 'event')} now.`;

/** How many events it would be; undefined while that is not known. */
function useCount(
  endpointId: string,
  id: string,
  verb: 'retry' | 'skip',
  selection: ForwardSelection | undefined,
): { matched: number | undefined; countProblem: string } {
  const [matched, setMatched] = useState<number>();
  const [countProblem, setCountProblem] = useState('');
  const key = selection && JSON.stringify(selection);
  useEffect(() => {
    const controller = new AbortController();
    setMatched(undefined);
    setCountProblem('');
    if (!selection) return;
    const count = (): void => {
      forwardsApi.count(endpointId, id, verb, selection, controller.signal).then(setMatched, error => {
        if (!controller.signal.aborted) setCountProblem(error instanceof Error ? error.message : String(error));
      });
    };
    const timer = setTimeout(count, selection.where === undefined ? 0 : settleMs);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [key]);
  return { matched, countProblem };
}
