/* Badges for method, platform, signature verdict and response status. Each is readable without colour. */

import { platformTitle } from '../../kit/format/platforms.ts';
import { visibleLine } from '../../kit/format/visible.ts';
import { Icon } from '../../kit/icons.tsx';
import { lettersOf, markOf } from './platform-marks.ts';
import type { Verdict } from './verdict.ts';

export const Method = ({ method }: { method: string | null }) => <span class="method rigid soft">{method ?? '?'}</span>;

/** A stable hue per name: one of 12 that have enough contrast in both themes. */
const hueOf = (name: string): number => {
  let sum = 7;
  for (const char of name) sum = (sum * 31 + (char.codePointAt(0) ?? 0)) % 3600;
  return (sum % 12) * 30;
};

export const PlatformMark = ({ platform }: { platform: string | null }) => {
  const name = platformTitle(platform);
  const drawing = platform === null ? undefined : markOf(platform);
  return (
    <span
      class={`platform-mark ${platform ? '' : 'unknown'}`}
      style={{ '--hue': `${hueOf(platform ?? '')}` }}
      title={visibleLine(name)}
      aria-hidden="true"
    >
      {drawing ? (
        <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false">
          <path d={drawing} />
        </svg>
      ) : platform ? (
        lettersOf(name)
      ) : (
        '?'
      )}
    </span>
  );
};

export const VerdictBadge = ({ tone, label }: Pick<Verdict, 'tone' | 'label'>) => (
  <span class={`badge ${tone}`} title={label}>
    <Icon name={tone === 'good' ? 'check' : tone === 'bad' ? 'warn' : 'shield'} />
    <span class="badge-text">{label}</span>
  </span>
);

export const StatusBadge = ({ status, ok }: { status: number | null; ok: boolean }) => (
  <span class={`badge ${ok ? 'good' : 'bad'}`}>{status ?? 'Unreachable'}</span>
);
