/* The settings page, with the account, the plan and exports. Each section has its own URL. */

import type { ComponentType } from 'preact';
import type { Endpoint } from '../../features/endpoints/model.ts';
import { releasesUrl } from '../../shared/releases.ts';
import { AppsSection } from '../apps/apps-section.tsx';
import { openExport } from '../inspector/list/export-dialog.tsx';
import { KeysSection } from '../keys/keys-section.tsx';
import { api } from '../kit/api.ts';
import { Button, Empty } from '../kit/controls.tsx';
import { formatCount, formatSpan } from '../kit/format/time.ts';
import { visibleName } from '../kit/format/visible.ts';
import { onDemand } from '../kit/on-demand.tsx';
import { Card, Facts, Loaded, Row, useTitle } from '../kit/page.tsx';
import { PageLinks } from '../kit/page-links.tsx';
import { Time } from '../kit/time.tsx';
import { useQuery } from '../kit/use-query.ts';
import { useWorkspace } from '../kit/workspace.tsx';
import { SignInSection } from '../sign-in/sign-in-section.tsx';
import { TeamSection } from '../team/team-section.tsx';
import { type SectionId, sectionsFor } from './settings-sections.ts';

const components: Record<SectionId, ComponentType> = {
  account: AccountSection,
  'sign-in': SignInSection,
  keys: KeysSection,
  apps: AppsSection,
  team: TeamSection,
  audit: onDemand(() => import('../audit/audit-section.tsx').then(page => page.AuditSection)),
  erasure: onDemand(() => import('../redaction/erasure-section.tsx').then(page => page.ErasureSection)),
  plan: PlanSection,
};

export function SettingsPage({ section }: { section: string }) {
  const { session } = useWorkspace();
  const shown = sectionsFor(session.role);
  const current = shown.find(one => one.id === section);
  const Section = current && components[current.id];
  useTitle(current?.label ?? 'Settings');
  return (
    <main class="page col settings">
      <h1 class="full">Settings</h1>
      <PageLinks
        class="side-nav col"
        label="Settings"
        links={shown.map(({ id, label }) => ({ to: `/app/settings/${id}`, label }))}
        current={`/app/settings/${section}`}
      />
      <div class="settings-body col loose">{Section ? <Section /> : <Empty title="Section not found" />}</div>
    </main>
  );
}

function AccountSection() {
  const { session } = useWorkspace();
  return (
    <Card title="Account">
      <Facts
        facts={[
          ['Email', session.account.email],
          ['Role', session.role === 'owner' ? 'Owner' : 'Member'],
          ['Created', <Time at={session.account.createdAt} long />],
          ['Hooktape', <Version installed={session.version} newest={session.newestVersion} />],
        ]}
      />
    </Card>
  );
}

function Version({ installed, newest }: { installed: string; newest: string | undefined }) {
  if (newest === undefined) return <>{installed}</>;
  return (
    <>
      {installed} ·{' '}
      <a href={releasesUrl} target="_blank" rel="noreferrer">
        {newest} is available
      </a>
    </>
  );
}

function PlanSection() {
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
  <div class="usage tight">
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
