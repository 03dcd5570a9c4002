/* Asks before many events are retried or skipped, and says how many they are. */

import { useEffect, useState } from 'preact/hooks';
import type { Forward, ForwardSelection } from '../../features/forwards/model.ts';
import { FilterField, filterText } from '../inspector/filter/filter-field.tsx';
import { useSeen } from '../inspector/filter/use-seen-values.ts';
import { Button, Dialog } from '../kit/controls.tsx';
import { Form, useForm } from '../kit/form.tsx';
import { formatCount } from '../kit/format/time.ts';
import { visibleLine } from '../kit/format/visible.ts';
import { messageOf, showToast } from '../kit/toasts.tsx';
import { forwardsApi, type Verb } from './forwards-api.ts';
import { type Act, actWording } from './wording.ts';

/** The count waits until typing pauses. */
const settleMs = 250;
const noFields: readonly string[] = [];
const schema = { where: filterText };

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
  const seen = useSeen(endpointId);
  const form = useForm({
    schema,
    applies: () => isFiltered,
    save: (selection: ForwardSelection) => forwardsApi.act(endpointId, forward.id, verb, selection),
    onSaved(changed) {
      if (changed) onChange(changed);
      onClose();
      showToast(`${formatCount(matched ?? 0, 'event')} ${verb === 'retry' ? 'queued for retry.' : 'skipped.'}`);
    },
  });
  const where = form.draft.where.trim();
  const isReadable = !isFiltered || (where !== '' && filterText.problem(where) === undefined);
  const selection: ForwardSelection | undefined = isReadable ? (isFiltered ? { where } : {}) : undefined;
  const { matched, countProblem } = useCount(endpointId, forward.id, verb, selection);
  const { title, text, button } = actWording(act, forward);
  const counted = matched === undefined ? (selection ? 'Counting…' : '') : countText(matched, isFiltered);
  return (
    <Dialog title={title} onClose={onClose} wide={isFiltered}>
      <Form
        form={form}
        class={isFiltered ? 'forward-act' : ''}
        submit={matched ? button(matched) : verb === 'retry' ? 'Retry' : 'Skip'}
        submitKind={verb === 'retry' ? 'primary' : 'danger'}
        isLocked={!selection || !matched}
        cancel={<Button onClick={onClose}>Cancel</Button>}
      >
        <p>{text}</p>
        {isFiltered && (
          <FilterField
            label="Filter"
            input={form.input('where')}
            error={form.error}
            seen={seen}
            placeholder="type:order.* received>2h"
            without={noFields}
            onEscape={onClose}
          />
        )}
        {verb === 'retry' && (
          <p class="wrap">
            Sent to <code>{visibleLine(forward.url)}</code>
            {forward.state === 'paused' && 'after you resume the forward'}.
          </p>
        )}
        <p class="faint" role="status">
          {countProblem || counted}
        </p>
      </Form>
    </Dialog>
  );
}

const countText = (matched: number, isFiltered: boolean): string =>
  matched === 0
    ? isFiltered
      ? 'No waiting, failed or given-up event matches.'
      : 'No such event is left.'
    : `${formatCount(matched, 'event')} now.`;

/** How many events it would be; undefined while that is not known. */
function useCount(endpointId: string, id: string, verb: Verb, selection: ForwardSelection | undefined) {
  const [matched, setMatched] = useState<number>();
  const [countProblem, setCountProblem] = useState('');
  const key = selection && JSON.stringify(selection);
  useEffect(() => {
    const controller = new AbortController();
    setMatched(undefined);
    setCountProblem('');
    if (!selection) return;
    const count = (): void => {
      forwardsApi.count(endpointId, id, verb, selection, controller.signal).then(
        found => setMatched(found.matched),
        error => !controller.signal.aborted && setCountProblem(messageOf(error)),
      );
    };
    const timer = setTimeout(count, selection.where === undefined ? 0 : settleMs);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [key]);
  return { matched, countProblem };
}
