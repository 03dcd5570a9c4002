/* All endpoints of the team with their URL, event count and activity of the last 24 hours. */

import { useEffect, useState } from 'preact/hooks';
import type { Activity, Endpoint } from '../../features/endpoints/model.ts';
import { maxNameCharacters } from '../../shared/limits.ts';
import { AlertsBadge } from '../alerts/alert-marks.tsx';
import { AnswersBadge } from '../answers/answer-marks.tsx';
import { ExpiringKeys } from '../keys/expiring-keys.tsx';
import { advise, api } from '../kit/api.ts';
import { Button, Dialog, Empty } from '../kit/controls.tsx';
import { CopyButton } from '../kit/copy-button.tsx';
import { DeclaredBadge } from '../kit/declared.tsx';
import { openDialog } from '../kit/dialogs.tsx';
import { text } from '../kit/fields.tsx';
import { Form, Inputs, useForm } from '../kit/form.tsx';
import { formatCount } from '../kit/format/time.ts';
import { visibleName } from '../kit/format/visible.ts';
import { Link, navigate } from '../kit/navigation.tsx';
import { Loaded, Page } from '../kit/page.tsx';
import { Time } from '../kit/time.tsx';
import { useQuery } from '../kit/use-query.ts';
import { useWorkspace } from '../kit/workspace.tsx';

const refreshMs = 10_000;

export function EndpointsPage() {
  const { endpoints, endpointsProblem, reloadEndpoints } = useWorkspace();
  const create = () => openDialog(close => <CreateDialog onClose={close} />);
  const keys = useQuery('keys', api.keys);
  useEffect(() => {
    reloadEndpoints();
    const timer = setInterval(() => !document.hidden && reloadEndpoints(), refreshMs);
    return () => clearInterval(timer);
  }, [reloadEndpoints]);
  const newEndpoint = (
    <Button kind="primary" icon="plus" onClick={create}>
      New endpoint
    </Button>
  );
  return (
    <Page title="Endpoints" actions={newEndpoint}>
      {keys.value && <ExpiringKeys keys={keys.value} withLink />}
      <Loaded query={{ value: endpoints, problem: endpointsProblem, reload: reloadEndpoints }} what="the endpoints">
        {list =>
          list.length === 0 ? (
            <Empty title="No endpoints yet" action={newEndpoint}>
              An endpoint is a URL that records every request sent to it. Create one for each sender, or one for
              everything.
            </Empty>
          ) : (
            <ul class="col">
              {list.map(endpoint => (
                <EndpointCard key={endpoint.id} endpoint={endpoint} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </Page>
  );
}

function EndpointCard({ endpoint }: { endpoint: Endpoint }) {
  const activity = useQuery(`${endpoint.id}/${endpoint.eventCount}`, () => api.activity(endpoint.id));
  const [last, setLast] = useState(activity.value);
  useEffect(() => {
    if (activity.value) setLast(activity.value);
  }, [activity.value]);
  return (
    <li class="card endpoint-card">
      <div class="endpoint-main breaks">
        <h2>
          <Link to={`/app/endpoints/${endpoint.id}`}>{visibleName(endpoint.name)}</Link>
          {endpoint.paused && (
            <span class="badge warn" title="Deliveries are refused and not stored">
              Paused
            </span>
          )}
          <AlertsBadge endpoint={endpoint} />
          <AnswersBadge endpoint={endpoint} />
          {endpoint.declared && <DeclaredBadge />}
        </h2>
        <div class="address line tight">
          <code class="cut soft">{endpoint.url}</code>
          <CopyButton text={endpoint.url} what="URL" />
        </div>
      </div>
      <Sparkline activity={activity.value ?? last} />
      <div class="endpoint-facts stack figures">
        <strong>{formatCount(endpoint.eventCount, 'event')}</strong>
        <span class="faint">
          {endpoint.lastReceivedAt ? (
            <>
              last event <Time at={endpoint.lastReceivedAt} long />
            </>
          ) : (
            'no events yet'
          )}
        </span>
      </div>
      <Link
        to={`/app/endpoints/${endpoint.id}/settings`}
        class="button quiet"
        aria-label={`Settings of ${visibleName(endpoint.name)}`}
      >
        Settings
      </Link>
    </li>
  );
}

const schema = {
  name: text({
    label: 'Name',
    placeholder: 'Stripe, production',
    maxLength: maxNameCharacters,
    hint: "Only shown in the dashboard. It's not part of the URL.",
    required: 'Give it a name.',
  }),
};

function CreateDialog({ onClose }: { onClose: () => void }) {
  const { reloadEndpoints } = useWorkspace();
  const form = useForm({
    schema,
    initial: {},
    isNew: true,
    messageAt: 'name',
    save: ({ name }: { name: string }) =>
      api
        .createEndpoint(name)
        .catch(advise(403, "Delete an endpoint, or ask this server's administrator for a larger plan.")),
    onSaved(endpoint) {
      reloadEndpoints();
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

/** The events of the last 24 hours as bars, with a text label for screen readers. */
function Sparkline({ activity }: { activity: Activity | undefined }) {
  const counts = activity?.counts ?? [];
  const maxCount = Math.max(1, ...counts);
  const total = counts.reduce((sum, one) => sum + one, 0);
  const label = activity ? `${formatCount(total, 'event')} in the last 24 hours` : 'Loading activity';
  const width = 4;
  return (
    <svg
      class="sparkline"
      viewBox={`0 0 ${24 * width} 24`}
      width={24 * width}
      height="24"
      role="img"
      aria-label={label}
    >
      <title>{label}</title>
      {Array.from({ length: 24 }, (_, hour) => {
        const eventCount = counts[hour] ?? 0;
        const height = eventCount === 0 ? 1.5 : Math.max(3, (eventCount / maxCount) * 23);
        return (
          <rect
            key={hour}
            class={eventCount ? 'some' : 'none'}
            x={hour * width}
            y={24 - height}
            width={width - 1}
            height={height}
            rx="1"
          />
        );
      })}
    </svg>
  );
}
