/* The plan with its limits and usage, the retention period, and exports. */

import type { Endpoint } from '../../features/endpoints/model.ts';
import { openExport } from '../inspector/list/export-dialog.tsx';
import { api } from '../kit/api.ts';
import { Button } from '../kit/controls.tsx';
import { formatCount, formatSpan } from '../kit/format/time.ts';
import { visibleName } from '../kit/format/visible.ts';
import { Card, Facts, Loaded, Row } from '../kit/page.tsx';
import { useQuery } from '../kit/use-query.ts';
import { useWorkspace } from '../kit/workspace.tsx';

export function PlanSection() {
  const { session, endpoints } = useWorkspace();
  const team = useQuery('team', api.team);
  const keys = useQuery('keys', api.keys);
  const isPro = (team.value?.plan ?? session.account.plan) === 'pro';
  const events = endpoints?.reduce((sum, endpoint) => sum + endpoint.eventCount, 0) ?? 0;
  const exportEvents = ({ id, name }: Endpoint) => openExport(`Export ${visibleName(name)}`, { endpointId: id });
  return (
    <>
      <Card title={isPro ? 'Pro plan' : 'Free plan'}>
        <Loaded query={team} what="the plan" inCard>
          {({ limits }) => (
            <>
              <Usage label="Endpoints" used={endpoints?.length ?? 0} limit={limits.endpoints} />
              <Usage label="API keys" used={keys.value?.length ?? 0} limit={limits.keys} />
              <Facts
                facts={[
                  ['Events stored', events.toLocaleString()],
                  ['Retention', formatSpan(limits.retentionMs)],
                ]}
              />
            </>
          )}
        </Loaded>
        <p class="faint">
          {isPro
            ? 'The operator of this server sets the limits.'
            : 'To upgrade, ask the operator of this server to run '}
          {!isPro && <code>hooktape account plan {session.account.email} pro</code>}
        </p>
      </Card>
      <Card title="Export" lead="Download all events of an endpoint as JSON, NDJSON, CSV, HAR or a shell script.">
        <ul class="rows">
          {endpoints?.map(endpoint => (
            <Row key={endpoint.id} name={visibleName(endpoint.name)} about={formatCount(endpoint.eventCount, 'event')}>
              <Button
                kind="quiet"
                icon="download"
                aria-label={`Export ${visibleName(endpoint.name)}`}
                onClick={() => exportEvents(endpoint)}
              >
                Export
              </Button>
            </Row>
          ))}
        </ul>
      </Card>
    </>
  );
}

const Usage = ({ label, used, limit }: { label: string; used: number; limit: number }) => (
  <div class="usage">
    <span>{label}</span>
    <span class="faint">
      {limit === 0 ? `${used.toLocaleString()}, no limit` : `${used.toLocaleString()} of ${limit.toLocaleString()}`}
    </span>
    <progress
      class="full"
      max={limit === 0 ? 1 : limit}
      value={limit === 0 ? 0 : Math.min(used, limit)}
      aria-label={`${label} used`}
    />
  </div>
);
