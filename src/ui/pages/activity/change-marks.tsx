/* What changed at the endpoint: as marks on the time axis, of which near ones are one, and as a list below it. */

import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Change, ChangePage } from '../../../features/changes/model.ts';
import type { Timeline } from '../../../features/timeline/model.ts';
import { Button } from '../../kit/controls.tsx';
import { formatCount, formatInstant } from '../../kit/format/time.ts';
import { visibleLine } from '../../kit/format/visible.ts';
import { Icon, type IconName } from '../../kit/icons.tsx';
import { Link } from '../../kit/navigation.tsx';
import { Loaded } from '../../kit/page.tsx';
import type { Query } from '../../kit/use-query.ts';
import { Lane } from './lane.tsx';
import { type MarkGroup, markGroups } from './mark-groups.ts';

const icons: Record<Change['kind'], IconName> = {
  secret: 'key',
  answers: 'send',
  forward: 'external',
  alert: 'warn',
  guard: 'shield',
  redaction: 'close',
  settings: 'gear',
  schema: 'braces',
};
const listId = 'changes';
const shownAtFirst = 8;

const words = ({ at, text }: Change, now: number): string => `${formatInstant(at, now)}: ${visibleLine(text)}`;

export function ChangeMarks({ timeline, changes: page }: { timeline: Timeline; changes: ChangePage | undefined }) {
  const place = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(600);
  useLayoutEffect(() => {
    const measure = (): void => setWidth(place.current?.offsetWidth ?? 600);
    measure();
    addEventListener('resize', measure);
    return () => removeEventListener('resize', measure);
  }, []);
  const nearestPx = matchMedia('(pointer: coarse)').matches ? 44 : 24;
  const groups = markGroups(page?.changes ?? [], timeline, width / nearestPx);
  return (
    <Lane class="marks" label={<span class="faint">Changes</span>} figures={page && <span>{countText(page)}</span>}>
      <div class="change-marks anchor" ref={place}>
        {groups.map(group => (
          <Mark key={group.changes[0]?.at} group={group} />
        ))}
      </div>
    </Lane>
  );
}

const countText = ({ changes, nextCursor }: ChangePage): string =>
  changes.length === 0
    ? 'No changes'
    : `${formatCount(changes.length, 'change')}${nextCursor === null ? '' : ' or more'}`;

function Mark({ group: { place, changes } }: { group: MarkGroup }) {
  const now = Date.now();
  const [only] = changes;
  const style = { left: `${place * 100}%` };
  if (changes.length === 1 && only)
    return (
      <Link
        class="change-mark soft"
        style={style}
        to={only.link}
        aria-label={words(only, now)}
        title={words(only, now)}
      >
        <span>
          <Icon name={icons[only.kind]} />
        </span>
      </Link>
    );
  const label = `${formatCount(changes.length, 'change')}: ${changes.map(one => words(one, now)).join('; ')}`;
  const show = (): void => document.getElementById(listId)?.focus();
  return (
    <button type="button" class="change-mark soft" style={style} aria-label={label} title={label} onClick={show}>
      <span>{changes.length}</span>
    </button>
  );
}

export const ChangesCard = ({ query }: { query: Query<ChangePage> }) => (
  <section id={listId} class="card section" tabIndex={-1} aria-labelledby="changes-title">
    <h2 id="changes-title">Changes</h2>
    <Loaded query={query} what="the changes" rows={2} inCard>
      {page => <ChangeList page={page} />}
    </Loaded>
  </section>
);

function ChangeList({ page: { changes } }: { page: ChangePage }) {
  const [isWhole, setIsWhole] = useState(false);
  if (changes.length === 0) return <p class="soft">Nothing was changed in this period.</p>;
  return (
    <>
      <ul class="plain-rows">
        {changes.slice(0, isWhole ? undefined : shownAtFirst).map(change => (
          <li key={`${change.at} ${change.text}`}>
            <time dateTime={new Date(change.at).toISOString()}>{formatInstant(change.at, Date.now())}</time>
            <Link to={change.link} class="breaks">
              {visibleLine(change.text)}
            </Link>
          </li>
        ))}
      </ul>
      {!isWhole && changes.length > shownAtFirst && (
        <Button kind="quiet" onClick={() => setIsWhole(true)}>
          Show all {changes.length} changes
        </Button>
      )}
    </>
  );
}
