/* The sections of the settings. The palette offers them before the settings page is loaded. */

import type { SignedIn } from '../../features/sessions/model.ts';

const sections = [
  { id: 'account', label: 'Account' },
  { id: 'sign-in', label: 'Signing in' },
  { id: 'keys', label: 'API keys' },
  { id: 'apps', label: 'Connected apps' },
  { id: 'team', label: 'Team' },
  { id: 'audit', label: 'Audit log' },
  { id: 'erasure', label: 'Erasure' },
  { id: 'plan', label: 'Plan and exports' },
] as const;

export type SectionId = (typeof sections)[number]['id'];

const ofOwners: readonly SectionId[] = ['audit', 'erasure'];

export const sectionsFor = (role: SignedIn['role']) =>
  sections.filter(({ id }) => role === 'owner' || !ofOwners.includes(id));
