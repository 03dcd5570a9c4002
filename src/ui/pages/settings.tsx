/* The settings page. Each section has its own URL. */

import type { ComponentType } from 'preact';
import { releasesUrl } from '../../shared/releases.ts';
import { AppsSection } from '../apps/apps-section.tsx';
import { KeysSection } from '../keys/keys-section.tsx';
import { Empty } from '../kit/controls.tsx';
import { onDemand } from '../kit/on-demand.tsx';
import { Card, Facts, useTitle } from '../kit/page.tsx';
import { PageLinks } from '../kit/page-links.tsx';
import { Time } from '../kit/time.tsx';
import { useWorkspace } from '../kit/workspace.tsx';
import { SignInSection } from '../sign-in/sign-in-section.tsx';
import { TeamSection } from '../team/team-section.tsx';
import { PlanSection } from './settings-plan.tsx';
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
    <main class="page settings">
      <h1 class="full">Settings</h1>
      <PageLinks
        class="side-nav"
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
