/* The settings page. Each section has its own URL. */

import type { ComponentType } from 'preact';
import { AppsSection } from '../apps/apps-section.tsx';
import { KeysSection } from '../keys/keys-section.tsx';
import { Empty } from '../kit/controls.tsx';
import { onDemand } from '../kit/on-demand.tsx';
import { PageLinks } from '../kit/page-links.tsx';
import { useTitle } from '../kit/use-title.ts';
import { useWorkspace } from '../kit/workspace.tsx';
import { SignInSection } from '../sign-in/sign-in-section.tsx';
import { TeamSection } from '../team/team-section.tsx';
import { AccountSection } from './settings-account.tsx';
import { PlanSection } from './settings-plan.tsx';

const AuditSection = onDemand(() => import('../audit/audit-section.tsx').then(page => page.AuditSection));

export const sections: { id: string; label: string; Section: ComponentType; isForOwners?: boolean }[] = [
  { id: 'account', label: 'Account', Section: AccountSection },
  { id: 'sign-in', label: 'Signing in', Section: SignInSection },
  { id: 'keys', label: 'API keys', Section: KeysSection },
  { id: 'apps', label: 'Connected apps', Section: AppsSection },
  { id: 'team', label: 'Team', Section: TeamSection },
  { id: 'audit', label: 'Audit log', Section: AuditSection, isForOwners: true },
  { id: 'plan', label: 'Plan and exports', Section: PlanSection },
];

export function SettingsPage({ section }: { section: string }) {
  const { session } = useWorkspace();
  const shown = sections.filter(({ isForOwners }) => !isForOwners || session.role === 'owner');
  const current = shown.find(one => one.id === section);
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
      <div class="settings-body col loose">{current ? <current.Section /> : <Empty title="Section not found" />}</div>
    </main>
  );
}
