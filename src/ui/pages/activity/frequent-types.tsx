/* The most frequent event types of the period, each with the way to its events. */

import { useEffect } from 'preact/hooks';
import type { FieldValues } from '../../../features/timeline/model.ts';
import { termFor, withPart } from '../../inspector/filter/filter-text.ts';
import { filterQuery } from '../../inspector/filter/filter-url.ts';
import { api } from '../../kit/api.ts';
import { formatCount } from '../../kit/format/time.ts';
import { visibleLine } from '../../kit/format/visible.ts';
import { Link } from '../../kit/navigation.tsx';
import { Card, Loaded } from '../../kit/page.tsx';
import { useQuery } from '../../kit/use-query.ts';

const shown = 6;
const mostRead = 10_000;

/** @param where with the period */
export function FrequentTypes({ endpointId, where, tick }: { endpointId: string; where: string; tick: number }) {
  const query = useQuery(`${endpointId} ${where}`, () => api.values(endpointId, 'type', where, shown));
  useEffect(() => {
    if (tick > 0) query.reload();
  }, [tick]);
  return (
    <Card title="Most frequent types">
      <Loaded query={query} what="the types" rows={3} inCard>
        {found => (
          <>
            {(found.events >= mostRead || !found.complete) && (
              <p class="soft">Of the newest {formatCount(found.events, 'event')} in this period.</p>
            )}
            {found.events === 0 && <p class="soft">No events in this period.</p>}
            <ul class="bar-rows">
              {found.values.map(one => (
                <TypeRow key={one.value} {...{ endpointId, where, found, ...one }} />
              ))}
            </ul>
          </>
        )}
      </Loaded>
    </Card>
  );
}

type TypeRowProps = FieldValues['values'][number] & { endpointId: string; where: string; found: FieldValues };

function TypeRow({ endpointId, where, found, value, count }: TypeRowProps) {
  const term = value === null ? undefined : termFor('type', value);
  const most = found.values[0]?.count ?? count;
  return (
    <li class="anchor line spread" style={{ '--share': `${(count / most) * 100}%` }}>
      {term === undefined || value === null ? (
        <span class="cut soft">{value === null ? 'Without a type' : visibleLine(value)}</span>
      ) : (
        <Link class="cut" to={`/app/endpoints/${endpointId}${filterQuery(withPart(where, term))}`}>
          {visibleLine(value)}
        </Link>
      )}
      <span class="figures soft">{count.toLocaleString()}</span>
    </li>
  );
}
