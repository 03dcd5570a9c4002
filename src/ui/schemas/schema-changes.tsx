/* How the schemas of an endpoint changed: a table, newest first, with a link to the event that showed each change. */

import { useState } from 'preact/hooks';
import type { SchemaChange } from '../../features/schemas/model.ts';
import { api } from '../kit/api.ts';
import { Button } from '../kit/controls.tsx';
import { visibleLine } from '../kit/format/visible.ts';
import { Link } from '../kit/navigation.tsx';
import { Card, Loaded } from '../kit/page.tsx';
import { Time } from '../kit/time.tsx';
import { useQuery } from '../kit/use-query.ts';

const kindTitles: Record<SchemaChange['kind'], string> = { new: 'New', vanished: 'Removed', type: 'Type changed' };
const firstShown = 8;

type ChangesProps = {
  endpointId: string;
  hrefOf: (choice: Pick<SchemaChange, 'type' | 'platform'>) => string;
};

export function SchemaChanges({ endpointId, hrefOf }: ChangesProps) {
  const query = useQuery(endpointId, () => api.schemaChanges(endpointId));
  return (
    <Card title="Changes">
      <Loaded query={query} what="the changes" inCard>
        {changes =>
          changes.length === 0 ? (
            <p class="lead">
              No changes yet. New, removed and retyped fields are listed once an event type has 20 events.
            </p>
          ) : (
            <ChangeTable endpointId={endpointId} hrefOf={hrefOf} changes={changes} />
          )
        }
      </Loaded>
    </Card>
  );
}

function ChangeTable({ endpointId, hrefOf, changes }: ChangesProps & { changes: readonly SchemaChange[] }) {
  const [isWhole, setIsWhole] = useState(false);
  const shown = isWhole ? changes : changes.slice(0, firstShown);
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable by keyboard. */}
      <section class="scrolls" tabIndex={0} aria-label="Changes">
        <table class="table">
          <thead>
            <tr>
              <th scope="col">Change</th>
              <th scope="col">Path</th>
              <th scope="col">Event type</th>
              <th scope="col">Event</th>
            </tr>
          </thead>
          <tbody>
            {shown.map(change => (
              <ChangeRow
                key={`${change.eventId} ${change.kind} ${change.path}`}
                change={change}
                eventHref={`/app/endpoints/${endpointId}/events/${change.eventId}`}
                schemaHref={hrefOf(change)}
              />
            ))}
          </tbody>
        </table>
      </section>
      {changes.length > shown.length && (
        <p>
          <Button onClick={() => setIsWhole(true)}>Show all {changes.length}</Button>
        </p>
      )}
    </>
  );
}

const ChangeRow = ({
  change: { kind, path, type, at },
  eventHref,
  schemaHref,
}: {
  change: SchemaChange;
  eventHref: string;
  schemaHref: string;
}) => (
  <tr>
    <td>{kindTitles[kind]}</td>
    <td>
      <code>{path === '' ? '(the body)' : visibleLine(path)}</code>
    </td>
    <td>
      <Link to={schemaHref}>{type === null ? 'No type' : visibleLine(type)}</Link>
    </td>
    <td>
      <Link to={eventHref}>
        <span class="offscreen">Event that showed the change in {visibleLine(path)}, </span>
        <Time at={at} long />
      </Link>
    </td>
  </tr>
);
