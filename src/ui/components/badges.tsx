/* Badges for method, platform, signature verdict and response status. None of them relies on colour alone. */

import { platformTitle } from '../format/platforms.ts';
import type { Verdict } from '../format/verdict.ts';
import { visibleLine } from '../format/visible.ts';
import { Icon } from './icons.tsx';

const knownMethods = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']);

export const Method = ({ method }: { method: string | null }) => (
  <span class={`method ${method !== null && knownMethods.has(method) ? method.toLowerCase() : 'other'}`}>
    {method ?? '?'}
  </span>
);

/** A stable hue per name: one of 12 that have enough contrast in both themes. */
const hueOf = (name: string): number => {
  let sum = 7;
  for (const char of name) sum = (sum * 31 + (char.codePointAt(0) ?? 0)) % 3600;
  return (sum % 12) * 30;
};

export const PlatformMark = ({ platform }: { platform: string | null }) => {
  const name = platformTitle(platform);
  return (
    <span
      class={`platform-mark ${platform ? '' : 'unknown'}`}
      style={{ '--hue': `${hueOf(platform ?? '')}` }}
      title={visibleLine(name)}
      aria-hidden="true"
    >
      {platform ? visibleLine(name).slice(0, 2) : '?'}
    </span>
  );
};

export const VerdictBadge = ({ tone, label }: Pick<Verdict, 'tone' | 'label'>) => (
  <span class={`badge ${tone}`}>
    <Icon name={tone === 'good' ? 'check' : tone === 'bad' ? 'warn' : 'shield'} />
    {label}
  </span>
);

export const StatusBadge = ({ status, ok }: { status: number | null; ok: boolean }) => (
  <span class={`badge ${ok ? 'good' : 'bad'}`}>{status ?? 'Unreachable'}</span>
);
