/* The dialog of an action on many events: it loads them, asks, shows the progress, and at the end what failed. */

import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Button, Dialog, Notice } from '../../kit/controls.tsx';
import { Form, type FormState } from '../../kit/form.tsx';
import { formatCount } from '../../kit/format/time.ts';
import type { IconName } from '../../kit/icons.tsx';
import { messageOf } from '../../kit/toasts.tsx';
import type { LiveList } from '../live/live-list.ts';
import { countOf, loadTargets, maxTargets, type Target, type Targets } from './matching.ts';
import { type Failure, type Progress, runEach } from './run-each.ts';

const maxShownProblems = 5;

export function useTargets(targets: Targets, list: LiveList, limit = maxTargets) {
  const [loaded, setLoaded] = useState<Target[]>();
  const [found, setFound] = useState(0);
  const [problem, setProblem] = useState('');
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    loadTargets(targets, { limit, list, signal, onFound: setFound })
      .then(setLoaded)
      .catch(error => !signal.aborted && setProblem(messageOf(error)));
    return () => controller.abort();
  }, []);
  return { loaded, found, problem };
}

/** Loads the events of an action, and runs it on each of them. */
export function useBulk(targets: Targets, list: LiveList) {
  const found = useTargets(targets, list);
  const [progress, setProgress] = useState<Progress>();
  const [isOver, setIsOver] = useState(false);
  const controller = useRef(new AbortController());
  // What is under way goes on when the dialog is closed, and no more is begun.
  useEffect(() => () => controller.current.abort(), []);
  const run = async (events: readonly Target[], task: (event: Target) => Promise<unknown>): Promise<Progress> => {
    setProgress({ done: 0, failures: [], waitS: 0 });
    const result = await runEach(events, task, { signal: controller.current.signal, onProgress: setProgress });
    setProgress(result);
    setIsOver(true);
    return result;
  };
  const isBusy = progress !== undefined && !isOver;
  return { targets, ...found, progress, isBusy, isOver, run, stop: () => controller.current.abort() };
}

type BulkDialogProps = {
  title: string;
  bulk: ReturnType<typeof useBulk>;
  /** The events that the action will work on; undefined while they are loaded. */
  events: readonly Target[] | undefined;
  /** What the action needs to know. Saving it runs the action. */
  form: FormState;
  /** `tagged`, as in "12 events tagged". */
  done: string;
  action: { label: string; icon: IconName; isDanger?: boolean; isOff?: boolean };
  onClose: () => void;
  children?: ComponentChildren;
};

export function BulkDialog(props: BulkDialogProps) {
  const { title, bulk, events, form, done, action, onClose, children } = props;
  const { targets, found, problem, progress, isBusy, isOver, stop } = bulk;
  const total = countOf(targets);
  const isCut = 'all' in targets && events && total !== undefined && events.length >= maxTargets && total > maxTargets;
  const shown = progress && (
    <BulkProgress progress={progress} total={events?.length ?? 0} done={done} isOver={isOver} />
  );
  return (
    <Dialog title={title} onClose={onClose} isPersistent={isBusy}>
      {isOver ? (
        <>
          {shown}
          <div class="line end">
            <Button kind="primary" onClick={onClose}>
              Done
            </Button>
          </div>
        </>
      ) : (
        <Form
          form={{ ...form, isBusy: isBusy || (!events && !problem) }}
          submit={events || problem ? action.label : `Loading ${formatCount(found, 'event')}…`}
          submitKind={action.isDanger ? 'danger' : 'primary'}
          submitIcon={action.icon}
          isLocked={!events || action.isOff === true}
          cancel={<Button onClick={isBusy ? stop : onClose}>{isBusy ? 'Stop' : 'Cancel'}</Button>}
        >
          <LoadProblem problem={problem} />
          {!progress && children}
          {isCut && !progress && (
            <Notice tone="warn" title={`Only the newest ${maxTargets.toLocaleString()} of ${total.toLocaleString()}`}>
              Narrow the filter to include the others.
            </Notice>
          )}
          {shown}
        </Form>
      )}
    </Dialog>
  );
}

export const LoadProblem = ({ problem }: { problem: string }) =>
  problem === '' ? null : (
    <Notice tone="bad" title="Couldn't load the events">
      {problem}
    </Notice>
  );

type ProgressProps = { progress: Progress; total: number; done: string; isOver: boolean };

function BulkProgress({ progress, total, done, isOver }: ProgressProps) {
  const { failures, waitS } = progress;
  const left = total - progress.done - failures.length;
  const text = isOver
    ? `${formatCount(progress.done, 'event')} ${done}.${left > 0 ? ` ${formatCount(left, 'event')} unchanged.` : ''}`
    : `${progress.done.toLocaleString()} of ${total.toLocaleString()} ${done}`;
  return (
    <>
      {!isOver && <progress max={total} value={progress.done + failures.length} aria-label="Progress" />}
      <p role="status">{waitS > 0 ? `Rate limited. Retrying in ${waitS} s.` : text}</p>
      {failures.length > 0 && <Failures failures={failures} />}
    </>
  );
}

function Failures({ failures }: { failures: readonly Failure[] }) {
  const counts = new Map<string, number>();
  for (const { problem } of failures) counts.set(problem, (counts.get(problem) ?? 0) + 1);
  return (
    <Notice tone="bad" title={`${formatCount(failures.length, 'event')} failed`}>
      {[...counts]
        .slice(0, maxShownProblems)
        .map(([problem, count]) => (counts.size === 1 ? problem : `${count.toLocaleString()} × ${problem}`))
        .join(' ')}
    </Notice>
  );
}
