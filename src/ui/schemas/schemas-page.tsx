/* The schemas of an endpoint, how they changed, and the one in the URL as code. Types and paths come from outside: shown as text only. */

import { Fragment } from 'preact';
import { useState } from 'preact/hooks';
import type { SchemaChange, SchemaForm, TypeSchema } from '../../features/schemas/model.ts';
import { TextView } from '../inspector/body/text-view.tsx';
import { PlatformMark } from '../inspector/event/badges.tsx';
import { api } from '../kit/api.ts';
import { Button, Empty, Segmented } from '../kit/controls.tsx';
import { CopyButton } from '../kit/copy-button.tsx';
import { platformTitle } from '../kit/format/platforms.ts';
import { formatCount } from '../kit/format/time.ts';
import { visibleLine } from '../kit/format/visible.ts';
import { Icon } from '../kit/icons.tsx';
import { Link, navigate } from '../kit/navigation.tsx';
import { Card, Loaded, Page, WithEndpoint } from '../kit/page.tsx';
import { Time } from '../kit/time.tsx';
import { useQuery } from '../kit/use-query.ts';

const formOptions: { id: SchemaForm; label: string; suffix: string }[] = [
  { id: 'jsonschema', label: 'JSON Schema', suffix: '.schema.json' },
  { id: 'typescript', label: 'TypeScript', suffix: '.ts' },
  { id: 'zod', label: 'Zod', suffix: '.zod.ts' },
];

/** Null: without a type or platform. */
type SchemaChoice = { type: string | null; platform: string | null };

/** `chosen`: as in the URL, where the type of events without a type is empty; both null for the most frequent type. */
type PageProps = { endpointId: string; chosen: SchemaChoice; as: string };

export function SchemasPage({ endpointId, chosen, as }: PageProps) {
  const query = useQuery(endpointId, () => api.schemas(endpointId));
  return (
    <WithEndpoint id={endpointId}>
      {({ name }) => (
        <Page class="settings schemas" title="Schemas" of={name}>
          {query.value ? (
            <Schemas endpointId={endpointId} schemas={query.value} chosen={chosen} as={as} />
          ) : (
            <div class="settings-body col loose">
              <Loaded query={query} what="the schemas">
                {() => null}
              </Loaded>
            </div>
          )}
        </Page>
      )}
    </WithEndpoint>
  );
}

/** The platform of the most frequent type first, and in each the most frequent type first. */
const byPlatform = (schemas: readonly TypeSchema[]): [platform: string | null, types: TypeSchema[]][] => [
  ...Map.groupBy(
    schemas.toSorted((a, b) => b.count - a.count),
    ({ platform }) => platform,
  ),
];

function Schemas({ endpointId, schemas, chosen, as }: PageProps & { schemas: readonly TypeSchema[] }) {
  const form = formOptions.find(({ id }) => id === as) ?? formOptions[0];
  const hrefOf = (choice: SchemaChoice, id = form?.id ?? 'jsonschema'): string => {
    const query = new URLSearchParams();
    query.set('type', choice.type ?? '');
    if (choice.platform !== null) query.set('platform', choice.platform);
    if (id !== 'jsonschema') query.set('as', id);
    return `/app/endpoints/${endpointId}/schemas?${query}`;
  };
  const groups = byPlatform(schemas);
  const inOrder = groups.flatMap(([, types]) => types);
  const isChosen = ({ type }: TypeSchema): boolean => type === (chosen.type || null);
  const current =
    chosen.type === null && chosen.platform === null
      ? inOrder[0]
      : (inOrder.find(one => isChosen(one) && one.platform === chosen.platform) ??
        inOrder.find(isChosen) ??
        inOrder[0]);
  if (!current || !form)
    return (
      <div class="settings-body col loose">
        <Empty title="No schemas yet">
          Hooktape learns the shape of each event type from incoming JSON bodies, in the background.
        </Empty>
      </div>
    );
  return (
    <>
      <nav class="side-nav col" aria-label="Event types">
        {groups.map(([platform, types]) => (
          <Fragment key={platform}>
            <h2 class="line">
              <PlatformMark platform={platform} />
              <span>{platform === null ? 'Unknown sender' : visibleLine(platformTitle(platform))}</span>
            </h2>
            {types.map(schema => (
              <Link
                key={schema.type}
                to={hrefOf(schema)}
                class="stack"
                aria-current={schema === current ? 'page' : undefined}
              >
                <span>{typeTitle(schema)}</span>
                <span class="faint small">
                  {formatCount(schema.count, 'event')}, changed <Time at={schema.changedAt} long />
                </span>
              </Link>
            ))}
          </Fragment>
        ))}
      </nav>
      <div class="settings-body col loose">
        <SchemaChanges endpointId={endpointId} hrefOf={hrefOf} />
        <SchemaSection
          key={`${current.platform} ${current.type}`}
          endpointId={endpointId}
          schema={current}
          form={form}
          onForm={id => navigate(hrefOf(current, id), { replace: true })}
        />
      </div>
    </>
  );
}

const typeTitle = ({ type }: SchemaChoice): string => (type === null ? 'No type' : visibleLine(type));

type SectionProps = {
  endpointId: string;
  schema: TypeSchema;
  form: { id: SchemaForm; suffix: string };
  onForm: (form: SchemaForm) => void;
};

function SchemaSection({ endpointId, schema, form, onForm }: SectionProps) {
  const query = useQuery(form.id, () => api.schemaText(endpointId, schema, form.id));
  const title = typeTitle(schema);
  const fileName = `${title.replaceAll(/[^\w.-]+/g, '_')}${form.suffix}`;
  return (
    <Card
      title={title}
      class="schema-section"
      lead={
        <>
          {platformTitle(schema.platform)} · {formatCount(schema.count, 'event')}, first seen{' '}
          <Time at={schema.firstAt} long />, last seen <Time at={schema.lastAt} long />.
        </>
      }
    >
      <div class="row">
        <Segmented label="Format" options={formOptions} value={form.id} onPick={onForm} />
        <span class="grow" />
        <CopyButton label="Copy" text={query.value ?? ''} />
        <a class="button plain" href={api.schemaUrl(endpointId, schema, form.id)} download={fileName}>
          <Icon name="download" />
          <span>Download</span>
        </a>
      </div>
      <Loaded query={query} what="the schema" rows={6} inCard>
        {text => <TextView text={text} label={`Schema for ${title}`} />}
      </Loaded>
    </Card>
  );
}

const kindTitles: Record<SchemaChange['kind'], string> = { new: 'New', vanished: 'Removed', type: 'Type changed' };
const firstShown = 8;

type ChangesProps = {
  endpointId: string;
  hrefOf: (choice: Pick<SchemaChange, 'type' | 'platform'>) => string;
};

function SchemaChanges({ endpointId, hrefOf }: ChangesProps) {
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

type ChangeRowProps = { change: SchemaChange; eventHref: string; schemaHref: string };

const ChangeRow = ({ change: { kind, path, type, at }, eventHref, schemaHref }: ChangeRowProps) => (
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
