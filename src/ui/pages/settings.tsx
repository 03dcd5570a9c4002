/* The settings page. Each section has its own URL. */

import type { ComponentType } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { AppsSection } from '../apps/apps-section.tsx';
import { KeysSection } from '../keys/keys-section.tsx';
import { Empty } from '../kit/controls.tsx';
import { Link } from '../kit/navigation.tsx';
import { onDemand } from '../kit/on-demand.tsx';
import { useTitle } from '../kit/use-title.ts';
import { useWorkspace } from '../kit/workspace.tsx';
import { TeamSection } from '../team/team-section.tsx';
import { AccountSection } from './settings-account.tsx';
import { PlanSection } from './settings-plan.tsx';

const AuditSection = onDemand(() => import('../audit/audit-section.tsx').then(page => page.AuditSection));

export const sections: { id: string; label: string; Section: ComponentType; isForOwners?: boolean }[] = [
  { id: 'account', label: 'Account', Section: AccountSection },
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
  // On a phone the navigation is one row that scrolls sideways.
  const nav = useRef<HTMLElement>(null);
  useEffect(() => nav.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' }), [section]);
  return (
    <main class="page settings">
      <h1 class="full">Settings</h1>
      <nav class="side-nav" aria-label="Settings" ref={nav}>
        {shown.map(({ id, label }) => (
          <Link key={id} to={`/app/settings/${id}`} aria-current={id === section ? 'page' : undefined}>
            {label}
          </Link>
        ))}
      </nav>
      <div class="settings-body col loose">{current ? <current.Section /> : <Empty title="Section not found" />}</div>
    </main>
  );
}
