/* Starts a replay job of all events that match a filter. */

import { useEffect, useState } from 'preact/hooks';
import type { ReplayJobDryRun, ReplayJobInput } from '../../../features/replay-jobs/model.ts';
import { Button, Dialog, Field } from '../../kit/controls.tsx';
import { isLoopbackUrl, readDestination } from '../../kit/destination.ts';
import { Form, Inputs, useForm } from '../../kit/form.tsx';
import { formatBytes, formatCount } from '../../kit/format/time.ts';
import { visibleLine } from '../../kit/format/visible.ts';
import { Link, navigate } from '../../kit/navigation.tsx';
import { problemsOf } from '../../kit/schema.ts';
import { messageOf } from '../../kit/toasts.tsx';
import { FilterField } from '../filter/filter-field.tsx';
import { useSeen } from '../filter/use-seen-values.ts';
import { EarlierDestinations } from './destination-fields.tsx';
import { jobRules } from './job-schema.tsx';
import { jobPath, jobsApi } from './jobs-api.ts';
import { lastDestination, saveDestination } from './replay-destinations.ts';

/** More events are sent to another machine only when their number was typed. */
const maxUnasked = 500;

/** `ids`: in place of the filter. */
type ChosenEvents = { endpointId: string; where: string; ids?: readonly string[] | undefined };

const chosenIn = ({ endpointId, where, ids }: ChosenEvents) => ({
  endpointId,
  ...(ids ? { eventIds: [...ids] } : where.trim() !== '' && { where: where.trim() }),
});

export type JobOptions = ChosenEvents & {
  initialDest?: string | undefined;
};

export function JobDialog({ initialDest, onClose, ...given }: JobOptions & { onClose: () => void }) {
  const { endpointId, where, ids } = given;
  const isAll = where === '' && !ids;
  const [dest] = useState(initialDest ?? lastDestination(endpointId)?.url ?? '');
  const form = useForm({
    ...jobRules,
    initial: { where, dest, concurrency: 1, per: 'event', skipOk: false },
    save: (request: ReplayJobInput) =>
      jobsApi.create({ ...request, ...chosenIn({ ...given, where: request.where ?? '' }) }),
    onSaved(job) {
      if (!job) return;
      saveDestination(endpointId, job.dest);
      onClose();
      navigate(jobPath(job));
    },
  });
  const { counted, countProblem } = useCount({ ...given, where: form.draft.where }, form.draft.per, isAll);
  const seen = useSeen(endpointId);
  const hasProblems = Object.keys(problemsOf(jobRules, form.draft)).length > 0;
  const [typed, setTyped] = useState('');
  const { dest: typedDest, dest2 } = form.draft;
  const isFar = [typedDest, dest2].some(url => url.trim() !== '' && !isLoopbackUrl(readDestination(url).url));
  const number = isFar && counted && counted.matched > maxUnasked ? counted.matched : undefined;
  const isAsked = number !== undefined && typed.replace(/\D/g, '') !== `${number}`;
  return (
    <Dialog
      title={ids ? 'Replay the selected events' : isAll ? 'Replay events' : 'Replay all that match'}
      onClose={onClose}
    >
      <Form
        form={form}
        submit="Start replay"
        submitIcon="replay"
        isLocked={hasProblems || isAsked || counted?.matched === 0 || (isFar && !counted)}
        cancel={<Button onClick={onClose}>Cancel</Button>}
        failed="Job not started"
        help={<Link to={`/app/endpoints/${endpointId}/destinations`}>Destinations</Link>}
      >
        <p class="lead" role="status">
          {countProblem ||
            (counted ? `${formatCount(counted.matched, 'event')}, ${formatBytes(counted.bytes)}.` : 'Counting…')}
          {where !== '' && !ids && (
            <>
              {' '}
              <code>{visibleLine(where)}</code>
            </>
          )}
        </p>
        {isAll && (
          <FilterField
            label="Only events that match"
            input={form.input('where')}
            error={form.error}
            seen={seen}
            placeholder="events of any time"
            without={[]}
          />
        )}
        <Inputs form={form} paths={['dest']} />
        <EarlierDestinations id="job-destinations" endpointId={endpointId} />
        <div class="fit">
          <Inputs form={form} paths={['pace', 'concurrency']} />
        </div>
        {number !== undefined && (
          <Field
            label={`Type ${number.toLocaleString()} to send that many events to another machine`}
            inputMode="numeric"
            autocomplete="off"
            value={typed}
            onText={setTyped}
          />
        )}
        <details class="drawer">
          <summary>More options</summary>
          <div class="col loose">
            <Inputs
              form={form}
              paths={['per', 'skipOk', 'sign.mode', 'stopAfter', 'dest2', 'ignore', 'compareHeaders']}
            />
          </div>
        </details>
      </Form>
    </Dialog>
  );
}

/** How many events the job would have. @param isTyped the filter is typed: it is counted after a pause */
function useCount(chosen: ChosenEvents, isPerDelivery: boolean, isTyped: boolean) {
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
    const count = () =>
      jobsApi.count(wanted, controller.signal).then(setCounted, error => {
        if (!controller.signal.aborted) setCountProblem(messageOf(error));
      });
    const timer = setTimeout(count, isTyped && where !== '' ? 250 : 0);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [endpointId, where, ids?.join(), isPerDelivery]);
  return { counted, countProblem };
}
