/*
 * The request of an event as it arrived: method, URL, time, source address and id. Each is copied by one press. A URL without room is
 * cut, its beginning first, and shown whole on demand.
 */

import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { EventDetail, EventSummary } from '../../../features/events/model.ts';
import { copyText } from '../../kit/clipboard.ts';
import { IconButton } from '../../kit/controls.tsx';
import { CopyButton } from '../../kit/copy-button.tsx';
import { platformTitle } from '../../kit/format/platforms.ts';
import { formatBytes, formatExactTime } from '../../kit/format/time.ts';
import { visibleLine } from '../../kit/format/visible.ts';
import { Icon } from '../../kit/icons.tsx';
import { Time } from '../../kit/time.tsx';
import { showError } from '../../kit/toasts.tsx';
import { useWorkspace } from '../../kit/workspace.tsx';
import { FilterBy } from '../filter/filter-by.tsx';
import { Method } from './badges.tsx';

const copiedMs = 1600;

export function RequestLine({ event }: { event: EventDetail | EventSummary }) {
  const { endpoints } = useWorkspace();
  const detail = 'endpointId' in event ? event : undefined;
  const endpoint = endpoints?.find(one => one.id === detail?.endpointId);
  const query = detail?.query ?? null;
  const rest = `${event.path}${query === null ? '' : `?${query}`}`;
  const utc = new Date(event.receivedAt).toISOString();
  return (
    <div class="request-line soft full stack">
      <div class="request-target line tight">
        <CopyValue what="method" text={event.method ?? ''}>
          <Method method={event.method} />
        </CopyValue>
        {endpoint && <RequestUrl key={event.id} base={endpoint.url} rest={rest} />}
      </div>
      <div class="request-facts row">
        <span class="request-platform line tight">
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

type RequestUrlProps = {
  /** The endpoint's URL, which is also shown above. */
  base: string;
  /** Path and query after it. */
  rest: string;
};

function RequestUrl({ base, rest }: RequestUrlProps) {
  const [isWhole, setIsWhole] = useState(false);
  const [isCut, setIsCut] = useState(false);
  const line = useRef<HTMLElement>(null);
  useEffect(() => {
    const element = line.current;
    if (!element || isWhole) return;
    const sizes = new ResizeObserver(() =>
      setIsCut([...element.children].some(part => part.scrollWidth > part.clientWidth + 1)),
    );
    sizes.observe(element);
    return () => sizes.disconnect();
  }, [isWhole]);
  return (
    <>
      <code class={`request-url ${isWhole ? 'unfolded' : ''}`} ref={line} tabIndex={isWhole ? 0 : undefined}>
        <span class="base cut soft">{visibleLine(base)}</span>
        <span class="cut">{visibleLine(rest)}</span>
      </code>
      <CopyButton what="request URL" text={base + rest} />
      {(isCut || isWhole) && (
        <IconButton
          icon={isWhole ? 'up' : 'expand'}
          label={isWhole ? 'Show less of the URL' : 'Show whole URL'}
          aria-expanded={isWhole}
          onClick={() => setIsWhole(!isWhole)}
        />
      )}
    </>
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
    if (!done) showError('Your browser blocked copying. Select the text and copy it yourself.');
  };
  return (
    <button
      type="button"
      class={`copy-value line tight breaks ${isCopied ? 'done' : ''}`}
      title={tip ? undefined : `Copy ${what}`}
      onClick={copy}
    >
      <span class="offscreen">Copy {what}: </span>
      {children}
      <Icon name={isCopied ? 'check' : 'copy'} />
      <span class="offscreen" role="status">
        {isCopied ? 'Copied' : ''}
      </span>
      {tip && <span class="tip popup figures">{tip}</span>}
    </button>
  );
}
