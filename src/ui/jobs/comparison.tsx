/*
 * How the answers of two destinations differ: by path, with the events, and both answers of an event side by side. The report can be kept as
 * JSON or Markdown.
 */

import { useEffect, useState } from 'preact/hooks';
import type { ReplayJob, ReplayJobAnswers, ReplayJobItem } from '../../features/replay-jobs/model.ts';
import {
  type ComparisonReport,
  differenceText,
  maxReportedItems,
  type PathGroup,
  readReport,
  reportAsMarkdown,
} from '../../shared/comparison-report.ts';
import { Button, Notice, Skeleton } from '../components/controls.tsx';
import { Link } from '../components/navigation.tsx';
import { showError } from '../components/toasts.tsx';
import { formatCount } from '../format/time.ts';
import { visibleLine } from '../format/visible.ts';
import { Answers } from './answers.tsx';
import { jobsApi } from './jobs-api.ts';
import { isOver } from './wording.ts';

/** A page of more helps nobody; the files have all of them. */
const shownItems = 200;

type Report = ComparisonReport<ReplayJob, ReplayJobItem>;

const load = (job: ReplayJob, limit: number): Promise<Report> =>
  readReport(job, (outcome, cursor) => jobsApi.items(job.id, outcome, cursor), limit);

export function Comparison({ job }: { job: ReplayJob }) {
  const [report, setReport] = useState<Report>();
  const [problem, setProblem] = useState('');
  const read = (): void => {
    load(job, shownItems).then(
      found => {
        setReport(found);
        setProblem('');
      },
      error => setProblem(error instanceof Error ? error.message : String(error)),
    );
  };
  useEffect(read, [job.id, isOver(job)]);
  const isStale = report !== undefined && report.job.different !== job.different;
  return (
    <section class="card section" aria-labelledby="differences">
      <div class="job-line">
        <h2 id="differences">Where the answers differ</h2>
        <span class="grow" />
        {isStale && (
          <Button kind="quiet" onClick={read}>
            Show the newest
          </Button>
        )}
        <Download job={job} />
      </div>
      {problem && <Notice tone="bad">{problem}</Notice>}
      {!report && !problem && <Skeleton rows={3} />}
      {report && <Groups report={report} />}
    </section>
  );
}

function Groups({ report }: { report: Report }) {
  const { job, paths, items, truncated } = report;
  if (paths.length === 0)
    return (
      <p class="lead">
        {isOver(job) ? `No differences in ${formatCount(job.same, 'event')}.` : 'No differences so far.'}
      </p>
    );
  return (
    <>
      {truncated && (
        <Notice tone="info">
          The first {shownItems} events are shown. The files have up to {maxReportedItems.toLocaleString()}.
        </Notice>
      )}
      <ul class="path-groups">
        {paths.map(group => (
          <PathDetails key={group.path} group={group} report={{ job, items }} />
        ))}
      </ul>
    </>
  );
}

type PathDetailsProps = { group: PathGroup; report: Pick<Report, 'job' | 'items'> };

function PathDetails({ group, report }: PathDetailsProps) {
  return (
    <li>
      <details>
        <summary>
          <code>{visibleLine(group.path)}</code>
          <span class="faint">{formatCount(group.events, 'event')}</span>
        </summary>
        <ul class="path-examples">
          {group.examples.map(example => (
            <li key={`${example.eventId} ${example.path}`}>
              <Example job={report.job} example={example} isElsewhere={example.path !== group.path} />
            </li>
          ))}
        </ul>
        {group.events > group.examples.length && (
          <p class="faint">These are the first {group.examples.length}. The report has the others.</p>
        )}
      </details>
    </li>
  );
}

type ExampleProps = { job: ReplayJob; example: PathGroup['examples'][number]; isElsewhere: boolean };

function Example({ job, example, isElsewhere }: ExampleProps) {
  const [answers, setAnswers] = useState<ReplayJobAnswers>();
  const [isBusy, setIsBusy] = useState(false);
  const toggle = async (): Promise<void> => {
    if (answers) return setAnswers(undefined);
    setIsBusy(true);
    try {
      setAnswers(await jobsApi.answers(job.id, example.eventId));
    } catch (error) {
      showError(
        (error as { status?: number }).status === 404 ? 'Both answers are kept for 7 days; these are gone.' : error,
      );
    }
    setIsBusy(false);
  };
  return (
    <>
      <div class="job-line">
        <Link to={`/app/endpoints/${job.endpointId}/events/${example.eventId}`}>
          <code>{example.eventId}</code>
        </Link>
        {isElsewhere && <code class="faint">{visibleLine(example.path)}</code>}
        <span class="grow" />
        <Button kind="quiet" busy={isBusy} aria-expanded={answers !== undefined} onClick={toggle}>
          {answers ? 'Hide both answers' : 'Both answers'}
        </Button>
      </div>
      <div class="sides">
        <div>
          <span class="faint">Left</span> <code>{differenceText(example, 'left')}</code>
        </div>
        <div>
          <span class="faint">Right</span> <code>{differenceText(example, 'right')}</code>
        </div>
      </div>
      {answers && <Answers answers={answers} />}
    </>
  );
}

function Download({ job }: { job: ReplayJob }) {
  const [busy, setBusy] = useState('');
  const save = async (kind: 'json' | 'md'): Promise<void> => {
    setBusy(kind);
    try {
      const report = await load(await jobsApi.job(job.id), maxReportedItems);
      const text = kind === 'json' ? `${JSON.stringify(report, null, 2)}\n` : reportAsMarkdown(report);
      saveFile(`comparison-${job.id}.${kind}`, text);
    } catch (error) {
      showError(error);
    }
    setBusy('');
  };
  return (
    <>
      <Button icon="download" kind="quiet" busy={busy === 'json'} onClick={() => save('json')}>
        JSON
      </Button>
      <Button icon="download" kind="quiet" busy={busy === 'md'} onClick={() => save('md')}>
        Markdown
      </Button>
    </>
  );
}

function saveFile(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'application/octet-stream' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
