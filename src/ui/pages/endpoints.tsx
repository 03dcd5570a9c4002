/* The home page: endpoints that need attention first, then by their last event, with the activity of the last 24 hours. */

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { OverviewEndpoint } from '../../features/overview/model.ts';
import { maxNameCharacters } from '../../shared/limits.ts';
import { ExpiringKeys } from '../keys/expiring-keys.tsx';
import { advise, api } from '../kit/api.ts';
import { Button, Dialog, Empty, Notice, Skeleton } from '../kit/controls.tsx';
import { openDialog } from '../kit/dialogs.tsx';
import { text } from '../kit/fields.tsx';
import { Form, Inputs, useForm } from '../kit/form.tsx';
import { formatCount } from '../kit/format/time.ts';
import { visibleName } from '../kit/format/visible.ts';
import { Link, navigate } from '../kit/navigation.tsx';
import { Page } from '../kit/page.tsx';
import { Time } from '../kit/time.tsx';
import { useQuery } from '../kit/use-query.ts';
import { useOverview } from './use-overview.ts';

export function EndpointsPage() {
  const [q, setQ] = useState('');
  const { endpoints, total, nextCursor, problem, reload, showMore } = useOverview(q);
  const create = () => openDialog(close => <CreateDialog onClose={close} />);
  const keys = useQuery('keys', api.keys);
  const newEndpoint = (
    <Button kind="primary" icon="plus" onClick={create}>
      New endpoint
    </Button>
  );
  const troubled = endpoints?.filter(({ troubles }) => troubles.length > 0) ?? [];
  const others = endpoints?.filter(({ troubles }) => troubles.length === 0) ?? [];
  return (
    <Page
      title="Endpoints"
      tab={troubled.length > 0 ? `(${troubled.length}) Endpoints` : 'Endpoints'}
      actions={
        <div class="line">
          {(total > 0 || q !== '') && (
            <input
              type="search"
              class="home-search"
              aria-label="Search endpoints"
              placeholder="Search endpoints"
              maxLength={maxNameCharacters}
              value={q}
              onInput={event => setQ(event.currentTarget.value)}
            />
          )}
          {newEndpoint}
        </div>
      }
    >
      {keys.value && <ExpiringKeys keys={keys.value} withLink />}
      {problem && (
        <Notice tone="warn" title="Couldn't load the endpoints" action={<Button onClick={reload}>Try again</Button>}>
          {problem}
        </Notice>
      )}
      {!endpoints && !problem && <Skeleton rows={3} kind="card" />}
      {endpoints && total === 0 && <NoEndpoints q={q} action={newEndpoint} />}
      <EndpointGroup title="Needs attention" endpoints={troubled} />
      <EndpointGroup title="By last event" endpoints={others} />
      {endpoints && nextCursor && (
        <p>
          <Button onClick={showMore}>Show more</Button>{' '}
          <span class="faint">
            {endpoints.length} of {formatCount(total, 'endpoint')}
          </span>
        </p>
      )}
    </Page>
  );
}

const NoEndpoints = ({ q, action }: { q: string; action: ComponentChildren }) =>
  q === '' ? (
    <Empty title="No endpoints yet" action={action}>
      An endpoint is a URL that records every request sent to it. Create one for each sender, or one for everything.
    </Empty>
  ) : (
    <Empty title="No endpoint has this name">The search looks for a part of the name, or for an id.</Empty>
  );

const EndpointGroup = ({ title, endpoints }: { title: string; endpoints: readonly OverviewEndpoint[] }) =>
  endpoints.length === 0 ? null : (
    <section class="card endpoint-group" aria-label={title}>
      <h2>{title}</h2>
      <ul>
        {endpoints.map(endpoint => (
          <EndpointRow key={endpoint.id} endpoint={endpoint} />
        ))}
      </ul>
    </section>
  );

const EndpointRow = ({ endpoint }: { endpoint: OverviewEndpoint }) => (
  <li class="endpoint-card">
    <div class="endpoint-main breaks">
      <Link to={`/app/endpoints/${endpoint.id}`}>{visibleName(endpoint.name)}</Link>
      {endpoint.troubles.map(({ kind, text: what, link }) => (
        <Link key={kind + text} to={link} class={`badge ${kind === 'paused' ? 'warn' : 'bad'}`}>
          {visibleName(what)}
        </Link>
      ))}
    </div>
    <Sparkline counts={endpoint.activity} />
    <span class="figures">{formatCount(endpoint.eventCount, 'event')}</span>
    <span class="figures faint">
      {endpoint.lastReceivedAt ? <Time at={endpoint.lastReceivedAt} long /> : 'no events yet'}
    </span>
  </li>
);

const schema = {
  name: text({
    label: 'Name',
    placeholder: 'Stripe, production',
    maxLength: maxNameCharacters,
    hint: 'A name for people. It is not part of the URL.',
    required: 'Enter a name.',
  }),
};

function CreateDialog({ onClose }: { onClose: () => void }) {
  const form = useForm({
    schema,
    initial: {},
    isNew: true,
    messageAt: 'name',
    save: ({ name }: { name: string }) =>
      api
        .createEndpoint(name)
        .catch(advise(403, 'Delete an endpoint, or ask the operator of this server for a larger plan.')),
    onSaved(endpoint) {
      onClose();
      if (endpoint) navigate(`/app/endpoints/${endpoint.id}`);
    },
  });
  return (
    <Dialog title="New endpoint" onClose={onClose}>
      <Form
        form={form}
        submit="Create"
        isLocked={form.draft.name.trim() === ''}
        cancel={<Button onClick={onClose}>Cancel</Button>}
      >
        <Inputs form={form} paths={['name']} />
      </Form>
    </Dialog>
  );
}

/** The events of the last 24 hours as bars, in one path, with a text label for screen readers. */
function Sparkline({ counts }: { counts: readonly number[] }) {
  const maxCount = Math.max(1, ...counts);
  const total = counts.reduce((sum, one) => sum + one, 0);
  const label = `${formatCount(total, 'event')} in the last 24 hours`;
  // An hour without events is a flat mark, and a single event is visible.
  const bars = counts.map((count, hour) => {
    const height = count === 0 ? 1.5 : Math.max(3, (count / maxCount) * 23);
    return `M${hour * 4} 24h3v${-height}h-3z`;
  });
  const path = (hasEvents: boolean): string => bars.filter((_, hour) => (counts[hour] ?? 0) > 0 === hasEvents).join('');
  return (
    <svg class="sparkline" viewBox="0 0 96 24" width="96" height="24" role="img" aria-label={label}>
      <path class="none" d={path(false)} />
      <path class="some" d={path(true)} />
    </svg>
  );
}
