/* The audit log of the team, for its owners: a sentence an entry, newest first, by person, thing and time, and all of it as a file. */

import type { AuditEntry, AuditPage } from '../../features/audit/model.ts';
import { ActionButton } from '../kit/action.tsx';
import { api, call, search } from '../kit/api.ts';
import { Field, SelectField } from '../kit/controls.tsx';
import { dayOf, nextDay } from '../kit/format/time.ts';
import { visibleLine, visibleName } from '../kit/format/visible.ts';
import { Link, navigate, usePageLocation } from '../kit/navigation.tsx';
import { Card, Loaded } from '../kit/page.tsx';
import { Time } from '../kit/time.tsx';
import { useQuery } from '../kit/use-query.ts';
import { useWorkspace } from '../kit/workspace.tsx';

const pageSize = 50;

const viaLabels: Record<AuditEntry['via'], string> = {
  dashboard: '',
  api: 'API key or app',
  command: 'operator command',
};

const types: [type: string, label: string][] = [
  ['endpoint', 'Endpoints'],
  ['event', 'Events'],
  ['replay_job', 'Replay jobs'],
  ['forward', 'Forwards'],
  ['alert', 'Alerts'],
  ['secret', 'Signing secrets'],
  ['filter', 'Filters'],
  ['key', 'API keys'],
  ['app', 'Connected apps'],
  ['invitation', 'Invitations'],
  ['account', 'Accounts'],
];

const filterNames = ['person', 'thing', 'from', 'to'] as const;
type FilterName = (typeof filterNames)[number];
/** `from` and `to` are days, such as `2026-11-20`. */
type Filters = Record<FilterName, string>;

const useFilters = (): Filters => {
  const { query } = usePageLocation();
  return Object.fromEntries(filterNames.map(name => [name, query.get(name) ?? ''])) as Filters;
};
const setFilters = (filters: Partial<Filters>): void => {
  navigate(`/app/settings/audit${search(filters)}`, { replace: true });
};

/** The first moment of a day, in the browser's time zone; undefined for anything else. */
const startOf = (day: string): number | undefined => {
  const at = new Date(`${day}T00:00`).getTime();
  return Number.isNaN(at) ? undefined : dayOf(at);
};

function toQuery({ person, thing, from, to }: Filters) {
  const last = startOf(to);
  return { person, thing, from: startOf(from), to: last === undefined ? undefined : nextDay(last) - 1 };
}

export function AuditSection() {
  const filters = useFilters();
  return (
    <Card title="Audit log" lead="Every change in this team, including the operator's commands. Append-only.">
      <FilterFields filters={filters} />
      <Lines key={search(filters)} filters={filters} />
    </Card>
  );
}

function FilterFields({ filters }: { filters: Filters }) {
  const { endpoints = [] } = useWorkspace();
  const team = useQuery('team', api.team);
  const change = (name: FilterName) => (value: string) => setFilters({ ...filters, [name]: value });
  const people = new Set([...(team.value?.members.map(({ email }) => email) ?? []), filters.person]);
  for (const other of ['', 'operator']) people.delete(other);
  const things = [...types, ...endpoints.map(({ id, name }) => [id, `Endpoint ${visibleName(name)}`] as const)];
  const isListed = filters.thing === '' || things.some(([id]) => id === filters.thing);
  return (
    <div class="audit-filters">
      <SelectField
        label="Person"
        value={filters.person}
        onPick={change('person')}
        options={[
          { id: '', label: 'Everyone' },
          ...[...people].map(email => ({ id: email, label: visibleName(email) })),
          { id: 'operator', label: 'The operator' },
        ]}
      />
      <SelectField
        label="Thing"
        value={filters.thing}
        onPick={change('thing')}
        options={[
          { id: '', label: 'Everything' },
          ...(isListed ? [] : [{ id: filters.thing, label: visibleLine(filters.thing) }]),
          ...things.map(([id, label]) => ({ id, label })),
        ]}
      />
      <Field label="From" type="date" value={filters.from} max={filters.to} onText={change('from')} />
      <Field label="To" type="date" value={filters.to} min={filters.from} onText={change('to')} />
    </div>
  );
}

function Lines({ filters }: { filters: Filters }) {
  const read = (cursor?: string): Promise<AuditPage> =>
    call('GET', `/api/audit${search({ limit: pageSize, ...toQuery(filters), cursor })}`);
  const log = useQuery(search(filters), () => read());
  const addOlder = async (page: AuditPage, cursor: string): Promise<void> => {
    const next = await read(cursor);
    log.set({ entries: [...page.entries, ...next.entries], nextCursor: next.nextCursor });
  };
  return (
    <Loaded query={log} what="the log" rows={5} inCard>
      {page => (
        <>
          <div class="row">
            <a
              class="button plain"
              href={`/api/audit${search({ format: 'ndjson', ...toQuery(filters) })}`}
              download="audit.ndjson"
            >
              Download as NDJSON
            </a>
            <ActionButton kind="quiet" act={async () => log.set(await read())}>
              Refresh
            </ActionButton>
            {search(filters) !== '' && (
              <ActionButton kind="quiet" keepsFocus={false} act={() => setFilters({})}>
                Clear filters
              </ActionButton>
            )}
          </div>
          {page.entries.length === 0 && <p class="soft">No entry matches these filters.</p>}
          <ul class="rows audit-lines">
            {page.entries.map(entry => (
              <Line key={entry.id} entry={entry} />
            ))}
          </ul>
          {page.nextCursor !== null && (
            <ActionButton act={() => addOlder(page, page.nextCursor ?? '')}>Show older entries</ActionButton>
          )}
        </>
      )}
    </Loaded>
  );
}

const Line = ({ entry: { at, text, link, via } }: { entry: AuditEntry }) => (
  <li>
    <Time at={at} />
    <span class="grow">{link === null ? visibleLine(text) : <Link to={link}>{visibleLine(text)}</Link>}</span>
    <span class="faint small">{viaLabels[via]}</span>
  </li>
);
