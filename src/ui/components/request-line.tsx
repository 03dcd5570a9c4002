/* The request of an event as it arrived: method, whole URL, source address, time and id. Each is copied by one click. */

import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { EventDetail, EventSummary } from '../../features/events/model.ts';
import { platformTitle } from '../format/platforms.ts';
import { formatBytes, formatExactTime } from '../format/time.ts';
import { visibleLine } from '../format/visible.ts';
import { FilterBy } from '../search/filter-by.tsx';
import { Method } from './badges.tsx';
import { copyText } from './clipboard.ts';
import { CopyButton } from './copy-button.tsx';
import { Icon } from './icons.tsx';
import { Time } from './time.tsx';
import { showError } from './toasts.tsx';
import { useWorkspace } from './workspace.tsx';

/** A longer URL is folded to three lines, and unfolds. */
const maxUnfoldedChars = 300;
const copiedMs = 1600;

export function RequestLine({ event }: { event: EventDetail | EventSummary }) {
  const { endpoints } = useWorkspace();
  const detail = 'endpointId' in event ? event : undefined;
  const endpoint = endpoints?.find(one => one.id === detail?.endpointId);
  const query = detail?.query ?? null;
  const url = `${endpoint?.url ?? ''}${event.path}${query === null ? '' : `?${query}`}`;
  const utc = new Date(event.receivedAt).toISOString();
  return (
    <div class="request-line">
      <div class="request-target">
        <CopyValue what="method" text={event.method ?? ''}>
          <Method method={event.method} />
        </CopyValue>
        {endpoint && <WholeUrl url={url} />}
      </div>
      <div class="request-facts">
        <span class="request-platform">
          {visibleLine(platformTitle(event.platform))}
          {event.platform !== null && <FilterBy field="platform" value={event.platform} />}
        </span>
        <span>{formatBytes(event.size)}</span>
        <span>
          <Time at={event.receivedAt} long isMomentShown />
        </span>
        <CopyValue what="time in UTC" text={utc} tip={utc.replace('T', ' ').replace('Z', ' UTC')}>
          {formatExactTime(event.receivedAt)}
        </CopyValue>
        {detail && (
          <CopyValue what="source address" text={detail.sourceIp}>
            {detail.sourceIp}
          </CopyValue>
        )}
        <CopyValue what="event id" text={event.id}>
          <code>{event.id}</code>
        </CopyValue>
      </div>
    </div>
  );
}

function WholeUrl({ url }: { url: string }) {
  const [isWhole, setIsWhole] = useState(false);
  const isLong = url.length > maxUnfoldedChars;
  return (
    <span class="whole-url">
      <code class={isLong && !isWhole ? 'folded' : ''}>{visibleLine(url)}</code>
      {isLong && (
        <button type="button" class="link-button" aria-expanded={isWhole} onClick={() => setIsWhole(!isWhole)}>
          {isWhole ? 'Show less' : 'Show whole URL'}
        </button>
      )}
      <CopyButton what="request URL" text={url} />
    </span>
  );
}

type CopyValueProps = { what: string; text: string; tip?: string; children: ComponentChildren };

/** A value that is a button: it copies itself, and says so for a moment. `tip` is shown while it is pointed at or focused. */
function CopyValue({ what, text, tip, children }: CopyValueProps) {
  const [isCopied, setIsCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(setIsCopied, copiedMs, false);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = async (): Promise<void> => {
    const done = await copyText(text);
    setIsCopied(done);
    if (!done) showError('The browser did not allow copying. Select the text and copy it manually.');
  };
  return (
    <button
      type="button"
      class={`copy-value ${isCopied ? 'done' : ''}`}
      title={tip ? undefined : `Copy ${what}`}
      onClick={copy}
    >
      <span class="offscreen">Copy {what}: </span>
      {children}
      <Icon name={isCopied ? 'check' : 'copy'} />
      <span class="offscreen" role="status">
        {isCopied ? 'Copied' : ''}
      </span>
      {tip && <span class="tip">{tip}</span>}
    </button>
  );
}
