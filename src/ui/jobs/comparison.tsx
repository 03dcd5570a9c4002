/* How the answers of two destinations differ: by path, with the events and both answers of each. The report can be saved as a file. */

import { useMemo, useState } from 'preact/hooks';
import type { ReplayJob, ReplayJobAnswers, ReplayJobItem } from '../../features/replay-jobs/model.ts';
import {
  differenceText,
  groupByPath,
  type PathGroup,
  readReport,
  reportAsMarkdown,
} from '../../shared/comparison-report.ts';
import { bytesOf, utf8Text } from '../inspector/body/bytes.ts';
import { isJsonDocument, parseJson, prettyJson } from '../inspector/body/json.ts';
import { jobsApi } from '../inspector/replay/jobs-api.ts';
import { statusText } from '../inspector/replay/status-text.ts';
import { ActionButton } from '../kit/action.tsx';
import { ApiError } from '../kit/api.ts';
import { Button, Code } from '../kit/controls.tsx';
import { formatBytes, formatCount } from '../kit/format/time.ts';
import { headerText, visibleLine, visibleText } from '../kit/format/visible.ts';
import { Link } from '../kit/navigation.tsx';
import { Loaded } from '../kit/page.tsx';
import { saveFile } from '../kit/save-file.ts';
import { showError } from '../kit/toasts.tsx';
import { useItems } from './use-items.ts';
import { isOver } from './wording.ts';

const pageSize = 100;
const shownExamples = 5;

export function Comparison({ job }: { job: ReplayJob }) {
  const { query, hasMore, more } = useItems(job, 'different');
  return (
    <section class="card section" aria-labelledby="differences">
      <div class="row">
        <h2 id="differences">Where the responses differ</h2>
        <span class="grow" />
        <Download job={job} />
      </div>
      <Loaded query={query} what="the differences" inCard>
        {items => (
          <>
            <Groups job={job} items={items} />
            {hasMore && (
              <div class="row">
                <ActionButton act={more}>Load more events</ActionButton>
                <span class="faint" role="status">
                  {items.length.toLocaleString()} of {formatCount(job.different, 'differing event')} loaded
                </span>
              </div>
            )}
          </>
        )}
      </Loaded>
    </section>
  );
}

function Groups({ job, items }: { job: ReplayJob; items: readonly ReplayJobItem[] }) {
  const paths = useMemo(() => groupByPath(items, Number.POSITIVE_INFINITY), [items]);
  if (paths.length === 0)
    return (
      <p class="lead">
        {isOver(job) ? `No differences in ${formatCount(job.same, 'event')}.` : 'No differences so far.'}
      </p>
    );
  return (
    <ul class="breaks">
      {paths.map(group => (
        <PathDetails key={group.path} group={group} job={job} />
      ))}
    </ul>
  );
}

function PathDetails({ group: { path, events, examples }, job }: { group: PathGroup; job: ReplayJob }) {
  const [limit, setLimit] = useState(shownExamples);
  return (
    <li>
      <details class="drawer">
        <summary>
          <code>{visibleLine(path)}</code> <span class="faint">{formatCount(events, 'event')}</span>
        </summary>
        <ul class="col loose">
          {examples.slice(0, limit).map(example => (
            <li key={`${example.eventId} ${example.path}`}>
              <Example job={job} example={example} isElsewhere={example.path !== path} />
            </li>
          ))}
        </ul>
        {examples.length > limit && (
          <Button kind="quiet" onClick={() => setLimit(limit + 4 * shownExamples)}>
            Show more of the {formatCount(examples.length, 'difference')}
          </Button>
        )}
      </details>
    </li>
  );
}

type ExampleProps = { job: ReplayJob; example: PathGroup['examples'][number]; isElsewhere: boolean };

function Example({ job, example, isElsewhere }: ExampleProps) {
  const [answers, setAnswers] = useState<ReplayJobAnswers>();
  const toggle = async (): Promise<void> => {
    if (answers) return setAnswers(undefined);
    try {
      setAnswers(await jobsApi.answers(job.id, example.eventId));
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 404)) throw error;
      showError('Responses are kept for 7 days. These have been deleted.');
    }
  };
  return (
    <>
      <div class="row">
        <Link class="target" to={`/app/endpoints/${job.endpointId}/events/${example.eventId}`}>
          <code>{example.eventId}</code>
        </Link>
        {isElsewhere && <code class="faint">{visibleLine(example.path)}</code>}
        <span class="grow" />
        <ActionButton kind="quiet" aria-expanded={answers !== undefined} act={toggle}>
          {answers ? 'Hide responses' : 'Show responses'}
        </ActionButton>
      </div>
      <div class="two breaks">
        <div>
          <span class="faint">A</span> <code>{differenceText(example, 'left')}</code>
        </div>
        <div>
          <span class="faint">B</span> <code>{differenceText(example, 'right')}</code>
        </div>
      </div>
      {answers && (
        <div class="two">
          <Side label="Destination A" answer={answers.left} />
          <Side label="Destination B" answer={answers.right} />
        </div>
      )}
    </>
  );
}

function Download({ job }: { job: ReplayJob }) {
  const save = async (kind: 'json' | 'md'): Promise<void> => {
    const report = await readReport(await jobsApi.job(job.id), (outcome, cursor) =>
      jobsApi.items(job.id, outcome, cursor, pageSize),
    );
    const text = kind === 'json' ? `${JSON.stringify(report, null, 2)}\n` : reportAsMarkdown(report);
    saveFile(`comparison-${job.id}.${kind}`, text);
  };
  return (
    <>
      <ActionButton icon="download" kind="quiet" act={() => save('json')}>
        JSON
      </ActionButton>
      <ActionButton icon="download" kind="quiet" act={() => save('md')}>
        Markdown
      </ActionButton>
    </>
  );
}

type Answer = NonNullable<ReplayJobAnswers['left']>;

const Side = ({ label, answer }: { label: string; answer: Answer | null }) => (
  <section class="col" aria-label={`${label} response`}>
    <h3>
      {label}: {answer ? statusText(answer.status) : 'no response'}
    </h3>
    {answer && (
      <>
        <Code>
          {answer.headers.map(([name, value]) => `${visibleLine(name)}: ${visibleLine(headerText(value))}`).join('\n')}
        </Code>
        <Code>{bodyText(answer)}</Code>
      </>
    )}
  </section>
);

function bodyText({ body, bodyEncoding }: Answer): string {
  if (body === '') return '(no body)';
  const bytes = bytesOf(body, bodyEncoding);
  const text = utf8Text(bytes);
  if (text === undefined) return `(${formatBytes(bytes.length)} of binary data)`;
  const parsed = parseJson(text);
  return visibleText(isJsonDocument(parsed) ? prettyJson(parsed) : text);
}
