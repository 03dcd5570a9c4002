/* The head of an open event: its type, and the request as it arrived. One press copies each value; a URL without room is cut. */

import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { EventDetail, EventSummary } from '../../../features/events/model.ts';
import { IconButton } from '../../kit/controls.tsx';
import { CopyButton, useCopy } from '../../kit/copy-button.tsx';
import { platformTitle } from '../../kit/format/platforms.ts';
import { formatBytes, formatExactTime } from '../../kit/format/time.ts';
import { visibleLine } from '../../kit/format/visible.ts';
import { Icon } from '../../kit/icons.tsx';
import { Time } from '../../kit/time.tsx';
import { useWorkspace } from '../../kit/workspace.tsx';
import { FilterBy } from '../filter/filter-by.tsx';
import { Method, PlatformMark } from './badges.tsx';
import { RedactedFields } from './redacted.tsx';

function RequestLine({ event }: { event: EventDetail | EventSummary }) {
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
  const [isCopied, copy] = useCopy(text);
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

type SummaryProps = {
  event: EventDetail | EventSummary;
  /** As in its row; null also when the list does not have the event. */
  action: string | null;
};

export const EventSummaryLines = ({ event, action }: SummaryProps) => (
  <>
    <div class="event-title line">
      <PlatformMark platform={event.platform} />
      <h2>
        {event.eventType === null
          ? 'No event type'
          : [event.eventType, action]
              .filter(part => part !== null)
              .map(visibleLine)
              .join(' · ')}
      </h2>
      {event.eventType !== null && <FilterBy field="type" value={event.eventType} />}
      {isTest(event) && (
        <span class="badge muted" title="Sent with “Send test event”, not by the platform.">
          <span class="badge-text">Test event</span>
        </span>
      )}
    </div>
    <RequestLine event={event} />
    <RedactedFields redacted={event.redacted} />
  </>
);

/** The header is only a mark: a sender can set it, too. */
const isTest = (event: EventDetail | EventSummary): boolean =>
  'rawHeaders' in event && event.rawHeaders.some(([name]) => name.toLowerCase() === 'x-hooktape-test');
