/* Starts a replay job of all events that match a filter. */

import { useEffect, useState } from 'preact/hooks';
import type { ReplayJobDryRun } from '../../../features/replay-jobs/model.ts';
import { Button, Checkbox, Dialog, Field, Notice } from '../../kit/controls.tsx';
import { formatBytes, formatCount } from '../../kit/format/time.ts';
import { visibleLine } from '../../kit/format/visible.ts';
import { Link, navigate } from '../../kit/navigation.tsx';
import { useStyle } from '../../kit/on-demand-style.ts';
import { SelectField } from '../../kit/select-field.tsx';
import style from '../../styles/jobs.css' with { type: 'file' };
import {
  type ChosenEvents,
  chosenIn,
  emptyDraft,
  type JobDraft,
  type PaceKind,
  problemsOf,
  requestOf,
} from './job-draft.ts';
import { jobsApi } from './jobs-api.ts';
import { lastDestination, listDestinations, saveDestination } from './replay-destinations.ts';

const paces: { id: PaceKind; label: string }[] = [
  { id: 'none', label: 'As fast as the destination answers' },
  { id: 'rate', label: 'So many a second' },
  { id: 'original', label: 'With the pauses with which they came' },
  { id: 'faster', label: 'As they came, but faster' },
];

type JobDialogProps = ChosenEvents & {
  /** The destination to start with; by default the last one. */
  initialDest?: string | undefined;
  onClose: () => void;
};

export function JobDialog({ initialDest, onClose, ...chosen }: JobDialogProps) {
  const { endpointId, where, ids } = chosen;
  const isStyled = useStyle(style);
  const [draft, setDraft] = useState<JobDraft>(() => ({
    ...emptyDraft,
    dest: initialDest ?? lastDestination(endpointId)?.url ?? '',
  }));
  const [problem, setProblem] = useState('');
  const [isBusy, setIsBusy] = useState(false);
  const change = (changed: Partial<JobDraft>): void => {
    setDraft(old => ({ ...old, ...changed }));
    setProblem('');
  };
  const { counted, countProblem } = useCount(chosen, draft.isPerDelivery);
  const problems = problemsOf(draft);
  const isReady = Object.keys(problems).length === 0 && draft.dest.trim() !== '' && counted?.matched !== 0;
  const start = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (!isReady || isBusy) return;
    setIsBusy(true);
    try {
      const request = requestOf(draft, chosen);
      const { id } = await jobsApi.create(request);
      saveDestination(endpointId, request.dest);
      onClose();
      navigate(`/app/jobs/${id}`);
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
      setIsBusy(false);
    }
  };
  // With its fields from the beginning: a dialog without them would focus its Close button.
  if (!isStyled) return null;
  return (
    <Dialog
      title={ids ? 'Replay the selected events' : where === '' ? 'Replay all events' : 'Replay all that match'}
      onClose={onClose}
    >
      <form class="job-form" onSubmit={start}>
        <p class="lead" role="status">
          {countProblem || <Counted counted={counted} />}
          {where !== '' && !ids && (
            <>
              {' '}
              <code>{visibleLine(where)}</code>
            </>
          )}
        </p>
        <Destinations draft={draft} change={change} endpointId={endpointId} />
        <PaceFields draft={draft} change={change} />
        <details>
          <summary>More options</summary>
          <MoreFields draft={draft} change={change} />
        </details>
        {problem && (
          <Notice
            tone="bad"
            title="The job wasn't started"
            action={<Link to={`/app/jobs?endpoint=${endpointId}`}>Replay jobs</Link>}
          >
            {problem}
          </Notice>
        )}
        <div class="dialog-actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" icon="replay" busy={isBusy} disabled={!isReady}>
            {counted ? `Send ${formatCount(counted.matched, 'event')}` : 'Start'}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

const Counted = ({ counted }: { counted: ReplayJobDryRun | undefined }) => (
  <>{counted ? `${formatCount(counted.matched, 'event')}, ${formatBytes(counted.bytes)}.` : 'Counting…'}</>
);

/** How many events the job would have. */
function useCount(chosen: ChosenEvents, isPerDelivery: boolean) {
  const { endpointId, where, ids } = chosen;
  const [counted, setCounted] = useState<ReplayJobDryRun>();
  const [countProblem, setCountProblem] = useState('');
  useEffect(() => {
    const controller = new AbortController();
    setCounted(undefined);
    setCountProblem('');
    const per = isPerDelivery ? ('delivery' as const) : ('event' as const);
    // A dry run sends nothing, and its result does not depend on the destination.
    const wanted = { ...chosenIn(chosen), dest: 'http://localhost/', per };
    jobsApi.count(wanted, controller.signal).then(setCounted, error => {
      if (!controller.signal.aborted) setCountProblem(error instanceof Error ? error.message : String(error));
    });
    return () => controller.abort();
  }, [endpointId, where, ids?.join(), isPerDelivery]);
  return { counted, countProblem };
}

type FieldsProps = { draft: JobDraft; change: (changed: Partial<JobDraft>) => void };

const urlInput = { type: 'text', inputMode: 'url', autocomplete: 'off', spellcheck: false } as const;

function Destinations({ draft, change, endpointId }: FieldsProps & { endpointId: string }) {
  const problems = problemsOf(draft);
  return (
    <>
      <Field
        label="Destination"
        {...urlInput}
        list="job-destinations"
        placeholder="https://staging.example.com/webhooks"
        required
        autoFocus
        onFocus={event => event.currentTarget.select()}
        value={draft.dest}
        onText={dest => change({ dest })}
        {...(problems.dest && { problem: problems.dest })}
      />
      <datalist id="job-destinations">
        {listDestinations(endpointId).map(one => (
          <option key={one.url} value={one.url} />
        ))}
      </datalist>
    </>
  );
}

function PaceFields({ draft, change }: FieldsProps) {
  const problems = problemsOf(draft);
  return (
    <div class="job-pace">
      <SelectField label="Pace" options={paces} value={draft.pace} onPick={pace => change({ pace })} />
      {draft.pace === 'rate' && (
        <Field
          label="Events a second"
          inputMode="decimal"
          value={draft.perSecond}
          onText={perSecond => change({ perSecond })}
          {...(problems.perSecond && { problem: problems.perSecond })}
        />
      )}
      {draft.pace === 'faster' && (
        <Field
          label="Times as fast"
          inputMode="decimal"
          value={draft.factor}
          onText={factor => change({ factor })}
          {...(problems.factor && { problem: problems.factor })}
        />
      )}
      <Field
        label="At a time"
        inputMode="numeric"
        value={draft.concurrency}
        onText={concurrency => change({ concurrency })}
        {...(problems.concurrency && { problem: problems.concurrency })}
      />
    </div>
  );
}

function MoreFields({ draft, change }: FieldsProps) {
  const problems = problemsOf(draft);
  return (
    <div class="job-more">
      <Checkbox
        label="Only the newest attempt of each delivery"
        hint="Attempts that carry the same delivery id are sent once."
        checked={draft.isPerDelivery}
        onChange={isPerDelivery => change({ isPerDelivery })}
      />
      <Checkbox
        label="Skip events that the destination has accepted"
        hint="Events to which it has answered 2xx before aren't sent again."
        checked={draft.isSkipping}
        onChange={isSkipping => change({ isSkipping })}
      />
      <Checkbox
        label="Sign anew"
        hint="With a stored secret that may sign for the destination. Other events fail without being sent."
        checked={draft.isSigned}
        onChange={isSigned => change({ isSigned })}
      />
      <Field
        label="Pause after so many failures"
        inputMode="numeric"
        hint="Empty: it goes on whatever fails."
        value={draft.stopAfter}
        onText={stopAfter => change({ stopAfter })}
        {...(problems.stopAfter && { problem: problems.stopAfter })}
      />
      <Field
        label="Compare with a second destination"
        {...urlInput}
        hint="Each event goes to both, and their answers are compared."
        value={draft.dest2}
        onText={dest2 => change({ dest2 })}
        {...(problems.dest2 && { problem: problems.dest2 })}
      />
      {draft.dest2.trim() !== '' && (
        <>
          <Field
            label="Not compared"
            hint="Paths with commas in between: status, body.id, body.items[].createdAt."
            spellcheck={false}
            value={draft.ignore}
            onText={ignore => change({ ignore })}
          />
          <Field
            label="Headers to compare"
            hint="Names with commas in between. Without them, status and body are compared."
            spellcheck={false}
            value={draft.headers}
            onText={headers => change({ headers })}
          />
        </>
      )}
    </div>
  );
}
