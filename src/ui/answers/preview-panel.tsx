/* The newest deliveries, each with the rule that would have answered it. Types and paths come from outside and are shown as text only. */

import type { AnswerPreview, AnswerRule } from '../../features/answers/model.ts';
import { describeAnswer, isSuccess } from '../../shared/answer-rule.ts';
import { PlatformMark } from '../inspector/event/badges.tsx';
import { titleOf } from '../inspector/list/row-text.ts';
import { Notice, Skeleton } from '../kit/controls.tsx';
import { visibleLine } from '../kit/format/visible.ts';
import { Link } from '../kit/navigation.tsx';
import { Time } from '../kit/time.tsx';
import type { Preview } from './use-answers.ts';

type PreviewPanelProps = {
  endpointId: string;
  preview: Preview;
  /** The rules that were tried, with the names that they have when saved. */
  rules: readonly AnswerRule[];
  names: readonly string[];
  /** The rules have a problem, so the preview shows earlier ones. */
  isHeld: boolean;
};

export function PreviewPanel({ endpointId, preview: { value, problem }, rules, names, isHeld }: PreviewPanelProps) {
  const events = value?.events;
  return (
    <section class="card section answers-preview" aria-labelledby="preview-title">
      <h2 id="preview-title">Preview</h2>
      <p class="lead">
        What the last ten deliveries would get with the rules as edited here. Counters start at the oldest one. Until
        you edit the rules, deliveries since they were saved show what they got.
      </p>
      {isHeld && <Notice tone="warn">Fix the marked fields to update this preview.</Notice>}
      {problem && <Notice tone="bad">{problem}</Notice>}
      {!events && !problem && <Skeleton rows={4} />}
      {events?.length === 0 && <p class="faint">No deliveries yet. The last ten appear here.</p>}
      {events && events.length > 0 && (
        <ol class="rows preview-rows" aria-label="Preview">
          {events.map(one => (
            <PreviewRow
              key={one.event.id}
              endpointId={endpointId}
              row={one}
              rule={rules[names.indexOf(one.rule ?? '')]}
            />
          ))}
        </ol>
      )}
    </section>
  );
}

type PreviewRowProps = {
  endpointId: string;
  row: AnswerPreview['events'][number];
  /** Undefined for the default answer. */
  rule: AnswerRule | undefined;
};

const PreviewRow = ({ endpointId, row: { event, rule: name, status }, rule }: PreviewRowProps) => (
  <li>
    <PlatformMark platform={event.platform} />
    <span class="stack grow">
      <Link class="cut" to={`/app/endpoints/${endpointId}/events/${event.id}`}>
        {titleOf(event).text}
      </Link>
      <span class="faint small">
        {event.method} · <Time at={event.receivedAt} />
      </span>
    </span>
    <span class="stack rigid preview-answer">
      <span class={`badge cut ${rule ? (isSuccess(rule) ? 'good' : 'bad') : ''}`}>
        {rule ? describeAnswer(rule) : (status ?? 'cut off')}
      </span>
      <span class="faint small cut">
        {event.refused === null ? (name === null ? 'default' : visibleLine(name)) : 'refused by the guard'}
      </span>
    </span>
  </li>
);
