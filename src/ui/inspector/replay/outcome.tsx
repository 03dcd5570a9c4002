/* How the replays of the dialog went. */

import { Notice } from '../../kit/controls.tsx';
import { CopyButton } from '../../kit/copy-button.tsx';
import { visibleLine, visibleText } from '../../kit/format/visible.ts';
import { StatusBadge } from '../event/badges.tsx';
import type { Refusal } from './refusal.ts';
import { phraseLine } from './status-text.ts';
import type { Sending } from './use-replay.ts';

export const Progress = ({ sendings, total }: { sendings: Sending[]; total: number }) => {
  const succeeded = sendings.filter(one => one.result?.ok).length;
  const failed = sendings.length - succeeded;
  return (
    <div class="progress col">
      <progress max={total} value={sendings.length} aria-label="Replayed" />
      <p role="status">
        {sendings.length} of {total} sent, {succeeded} succeeded{failed > 0 && `, ${failed} failed`}.
      </p>
    </div>
  );
};

export function Outcome({ sending, label, open }: { sending: Sending; label: string; open: boolean }) {
  if (!sending.result)
    return (
      <Notice tone="bad" title={open ? 'Not delivered' : visibleLine(label)}>
        {sending.problem}
      </Notice>
    );
  const { ok, status, responsePreview } = sending.result;
  return (
    <details class="outcome" open={open} ref={open ? showAtEnd : null}>
      <summary class="row">
        <StatusBadge status={status} ok={ok} />
        <span>{phraseLine(sending.result)}</span>
        {!open && <span class="wrap">{visibleLine(label)}</span>}
      </summary>
      <pre class="code">{responsePreview === '' ? 'The response had no body.' : visibleText(responsePreview)}</pre>
      {open && <p class="faint">The full response is in the Replays tab.</p>}
    </details>
  );
}

/** A long form may hide what is below it. */
const showAtEnd = (element: HTMLElement | null): void => element?.scrollIntoView({ block: 'nearest' });

export const RefusalNotice = ({ refusal }: { refusal: Refusal }) => (
  <Notice tone="bad" title="Not sent">
    {refusal.text}
    {refusal.setting && (
      <span class="raw-line line tight top">
        <code class="grow breaks">{visibleLine(refusal.setting)}</code>
        <CopyButton text={refusal.setting} what="setting" />
      </span>
    )}
  </Notice>
);
