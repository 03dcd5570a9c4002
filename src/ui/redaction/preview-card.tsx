/* What rules would take out of the last hundred events. Values come from outside and are shown as text only. */

import type { RedactionPreview } from '../../features/redaction/model.ts';
import { titleOf } from '../inspector/list/row-text.ts';
import { Notice, Skeleton } from '../kit/controls.tsx';
import { visibleLine } from '../kit/format/visible.ts';
import { Link } from '../kit/navigation.tsx';
import { Card } from '../kit/page.tsx';
import { Time } from '../kit/time.tsx';
import { useLivePreview } from '../kit/use-live-preview.ts';
import { type Redaction, redactionApi } from './redaction-api.ts';
import { countOf, refusalOf } from './rule-draft.ts';

const maxShownEvents = 20;
const maxShownChanges = 10;

type Event = RedactionPreview['events'][number];

/** @param redaction undefined while it is incomplete. Then, and without rules, the last preview stays. */
export const usePreview = (endpointId: string, redaction: Redaction | undefined) =>
  useLivePreview(
    redaction && redaction.rules.length > 0 ? JSON.stringify(redaction) : undefined,
    (asked, signal) => redactionApi.preview(endpointId, JSON.parse(asked), signal),
    refusalOf,
  );

type PreviewCardProps = { endpointId: string; preview: ReturnType<typeof usePreview>; isHeld: boolean };

export function PreviewCard({ endpointId, preview: { value, problem }, isHeld }: PreviewCardProps) {
  const events = value?.events;
  const changed = events?.filter(({ changes }) => changes.length > 0) ?? [];
  return (
    <Card title="Preview" lead="What these rules would take out of the last 100 events. Nothing stored is changed.">
      {isHeld && <Notice tone="warn">Enter the missing paths to update this preview.</Notice>}
      {problem && <Notice tone="bad">{problem}</Notice>}
      {!events && !problem && !isHeld && <Skeleton rows={3} />}
      {events && <p role="status">{countOf(changed.length, events.length)}</p>}
      {changed.length > 0 && (
        <ol class="rows" aria-label="Changes">
          {changed.slice(0, maxShownEvents).map(one => (
            <PreviewRow key={one.event.id} endpointId={endpointId} {...one} />
          ))}
        </ol>
      )}
      {changed.length > maxShownEvents && <p class="faint">…and {changed.length - maxShownEvents} more events.</p>}
    </Card>
  );
}

const PreviewRow = ({ endpointId, event, changes }: Event & { endpointId: string }) => (
  <li>
    <div class="stack grow">
      <span class="line spread">
        <Link class="cut" to={`/app/endpoints/${endpointId}/events/${event.id}`}>
          {titleOf(event).text}
        </Link>
        <span class="faint small rigid">
          <Time at={event.receivedAt} />
        </span>
      </span>
      <dl class="redaction-changes small">
        {changes.slice(0, maxShownChanges).map(({ field, before, after }, i) => (
          <div key={i}>
            <dt class="soft breaks">{visibleLine(field)}</dt>
            <dd class="breaks">
              <del class="soft">{visibleLine(before)}</del> <span aria-hidden="true">→</span>{' '}
              {after === null ? <em>removed</em> : <ins>{visibleLine(after)}</ins>}
            </dd>
          </div>
        ))}
      </dl>
      {changes.length > maxShownChanges && (
        <span class="faint small">…and {changes.length - maxShownChanges} more values</span>
      )}
    </div>
  </li>
);
