/* The home page: endpoints that need attention first, then by their last event, with the activity of the last 24 hours. */

import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import type { OverviewEndpoint, Trouble } from '../../features/overview/model.ts';
import { maxNameCharacters } from '../../shared/limits.ts';
import { ExpiringKeys } from '../keys/expiring-keys.tsx';
import { ActionButton } from '../kit/action.tsx';
import { advise, api } from '../kit/api.ts';
import { Button, Dialog, Empty, Notice, Skeleton } from '../kit/controls.tsx';
import { openDialog } from '../kit/dialogs.tsx';
import { text } from '../kit/fields.tsx';
import { Form, Inputs, useForm } from '../kit/form.tsx';
import { formatCount } from '../kit/format/time.ts';
import { visibleName } from '../kit/format/visible.ts';
import { Icon } from '../kit/icons.tsx';
import { Link, navigate, usePageLocation } from '../kit/navigation.tsx';
import { Page } from '../kit/page.tsx';
import { Strip } from '../kit/strip.tsx';
import { Time } from '../kit/time.tsx';
import { useHotkeys } from '../kit/use-hotkeys.ts';
import { useQuery } from '../kit/use-query.ts';
import { useOverview } from './use-overview.ts';

export function EndpointsPage() {
  const q = (usePageLocation().query.get('q') ?? '').slice(0, maxNameCharacters);
  const { endpoints, total, nextCursor, loadedAt, problem, reload, showMore } = useOverview(q);
  const create = () => openDialog(close => <CreateDialog onClose={close} />);
  const keys = useQuery('keys', api.keys);
  const newEndpoint = (
    <Button kind="primary" icon="plus" onClick={create}>
      New endpoint
    </Button>
  );
  const groups = groupsOf(endpoints ?? [], nextCursor !== null);
  const troubled = groups[0]?.amount ?? '0';
  return (
    <Page
      title="Endpoints"
      tab={troubled === '0' ? 'Endpoints' : `(${troubled}) Endpoints`}
      lead={endpoints && total > 0 && leadOf(total, q, troubled)}
      actions={
        <div class="row home-tools">
          {(total > 0 || q !== '') && <SearchField q={q} />}
          {newEndpoint}
        </div>
      }
    >
      {keys.value && <ExpiringKeys keys={keys.value} withLink />}
      {problem && (
        <Notice
          tone="warn"
          title={endpoints ? "Couldn't refresh the endpoints" : "Couldn't load the endpoints"}
          action={<Button onClick={reload}>Try again</Button>}
        >
          {problem}
          {endpoints && (
            <>
              {' '}
              What you see is from <Time at={loadedAt} />.
            </>
          )}
        </Notice>
      )}
      {!endpoints && !problem && (
        <div class="card">
          <Skeleton rows={3} />
        </div>
      )}
      {endpoints && total === 0 && <NoEndpoints q={q} action={newEndpoint} />}
      {groups.map((group, at) => (
        <EndpointGroup
          key={group.title}
          group={group}
          isFirst={groups.slice(0, at).every(one => one.endpoints.length === 0)}
        />
      ))}
      {endpoints && nextCursor && (
        <p>
          <ActionButton act={showMore}>Show more</ActionButton>{' '}
          <span class="faint">
            {endpoints.length.toLocaleString()} of {formatCount(total, 'endpoint')}
          </span>
        </p>
      )}
    </Page>
  );
}

/** `14 endpoints, 3 need attention`. */
function leadOf(total: number, q: string, troubled: string): string {
  const attention = troubled === '0' ? '' : `, ${troubled} ${troubled === '1' ? 'needs' : 'need'} attention`;
  return `${formatCount(total, 'endpoint')}${q === '' ? '' : ' found'}${attention}`;
}

function SearchField({ q }: { q: string }) {
  const input = useRef<HTMLInputElement>(null);
  useHotkeys({ '/': { label: 'Search endpoints', run: () => input.current?.select() } });
  return (
    <search class="search plain home-search">
      <Icon name="search" />
      <input
        ref={input}
        type="search"
        aria-label="Search endpoints"
        placeholder="Search endpoints"
        maxLength={maxNameCharacters}
        value={q}
        onInput={({ currentTarget: { value } }) =>
          navigate(value === '' ? '/app' : `/app?q=${encodeURIComponent(value)}`, { replace: true })
        }
      />
      <kbd>/</kbd>
    </search>
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

/** `amount`: `3`, or `100+` when there may be more of them on the next page. */
type Group = { title: string; endpoints: readonly OverviewEndpoint[]; amount: string; tone: string };

/** In the order of the server: with troubles, with events, without events. */
function groupsOf(endpoints: readonly OverviewEndpoint[], hasMore: boolean): Group[] {
  const placeOf = ({ troubles, lastReceivedAt }: OverviewEndpoint): number =>
    troubles.length > 0 ? 0 : lastReceivedAt === null ? 2 : 1;
  const last = Math.max(...endpoints.map(placeOf));
  return ['Needs attention', 'By last event', 'No events'].map((title, place) => {
    const own = endpoints.filter(endpoint => placeOf(endpoint) === place);
    return {
      title,
      endpoints: own,
      amount: `${own.length.toLocaleString()}${hasMore && place === last ? '+' : ''}`,
      tone: own.some(({ troubles }) => troubles.some(isBroken)) ? 'bad' : place === 0 ? 'warn' : '',
    };
  });
}

/** Broken now; the other troubles only need a look. */
const isBroken = ({ kind }: Trouble): boolean => kind === 'forward_down' || kind === 'alert_firing';

const EndpointGroup = ({ group: { title, endpoints, amount, tone }, isFirst }: { group: Group; isFirst: boolean }) =>
  endpoints.length === 0 ? null : (
    <section class="card endpoint-group" aria-label={title}>
      <h2 class="small soft">
        <span>
          {title} <span class={`badge ${tone}`}>{amount}</span>
        </span>
        {isFirst && endpoints.some(({ lastReceivedAt }) => lastReceivedAt !== null) && (
          <>
            <span class="faint" aria-hidden="true">
              Last 24 hours
            </span>
            <span class="faint" aria-hidden="true">
              Events
            </span>
            <span class="faint" aria-hidden="true">
              Last event
            </span>
          </>
        )}
      </h2>
      <ul>
        {endpoints.map(endpoint => (
          <EndpointRow key={endpoint.id} endpoint={endpoint} />
        ))}
      </ul>
    </section>
  );

function EndpointRow({ endpoint: { id, name, troubles, activity, eventCount, lastReceivedAt } }: RowProps) {
  const recent = activity.reduce((sum, one) => sum + one, 0);
  return (
    <li class={`endpoint-card anchor ${lastReceivedAt === null ? 'bare' : ''}`}>
      <div class="endpoint-main row breaks">
        <Link class="row-link" to={`/app/endpoints/${id}`}>
          {visibleName(name)}
        </Link>
        {troubles.map(trouble => (
          <Link key={trouble.kind + trouble.text} to={trouble.link} class={`badge ${toneOf(trouble)}`}>
            {visibleName(trouble.text)}
          </Link>
        ))}
      </div>
      {lastReceivedAt === null ? (
        <span class="figures faint">no events</span>
      ) : (
        <>
          <Strip counts={activity} label={`${formatCount(recent, 'event')} in the last 24 hours`} />
          <span class="figures">
            {eventCount.toLocaleString()}
            <span class="offscreen"> {eventCount === 1 ? 'event' : 'events'}</span>
          </span>
          <span class="figures faint">
            <Time at={lastReceivedAt} />
          </span>
        </>
      )}
    </li>
  );
}

type RowProps = { endpoint: OverviewEndpoint };

const toneOf = (trouble: Trouble): string => (isBroken(trouble) ? 'bad' : trouble.kind === 'paused' ? '' : 'warn');

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
