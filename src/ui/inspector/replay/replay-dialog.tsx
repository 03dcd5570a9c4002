/*
 * The dialog that replays one or several events to a destination, and shows the full URL before they are sent. One event can be
 * changed and re-signed first; several are sent unchanged, one after the other, in the given order.
 */

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { EventDetail } from '../../../features/events/model.ts';
import type { ReplayDryRun } from '../../../features/replays/model.ts';
import { api } from '../../kit/api.ts';
import { Button, Dialog } from '../../kit/controls.tsx';
import { CopyButton } from '../../kit/copy-button.tsx';
import { formatBytes, formatCount } from '../../kit/format/time.ts';
import { headerText, visibleLine, visibleText } from '../../kit/format/visible.ts';
import { useQuery } from '../../kit/use-query.ts';
import { bytesOf, utf8Text } from '../body/bytes.ts';
import { cachedEvent } from '../event/use-event.ts';
import { sendCommand } from './command.ts';
import { DestinationFields } from './destination-fields.tsx';
import { EditSection } from './edit-body.tsx';
import { Outcome, Progress, RefusalNotice } from './outcome.tsx';
import { explainRefusal } from './refusal.ts';
import { isToUrl, targetOf, urlOf } from './request.ts';
import { SigningSection } from './signing-section.tsx';
import { type ReplayDraft, useReplayDraft } from './use-draft.ts';
import { useReplay } from './use-replay.ts';

type ReplayedEvent = { id: string; label: string };

type ReplayDialogProps = {
  endpointId: string;
  /** Oldest first. Undefined while they are loaded. */
  events: ReplayedEvent[] | undefined;
  /** By default it names the events. */
  title?: string;
  /** The text of the button while the events are loaded. */
  loading?: string;
  /** What is shown above the destination, which may be typed already. */
  notice?: (typed: string) => ComponentChildren;
  /** The destination to start with, complete; by default the last one, to which path and query are appended. */
  initialUrl?: string | undefined;
  /** Called after each attempt, successful or not, also after the dialog was closed. */
  onSent: (id: string) => void;
  onClose: () => void;
};

export function ReplayDialog({ endpointId, initialUrl, onSent, onClose, notice, ...props }: ReplayDialogProps) {
  const { events = [], title = titleOf(events), loading = 'Send' } = props;
  const isLoading = props.events === undefined;
  const isBatch = isLoading || events.length > 1;
  const first = useFirstEvent(events[0]?.id);
  const draft = useReplayDraft(endpointId, isBatch ? undefined : first, initialUrl);
  const { sendings, refusal, setRefusal, isBusy, send, stop } = useReplay({
    endpointId,
    ids: events.map(({ id }) => id),
    onSent,
  });
  const [preview, setPreview] = useState<ReplayDryRun>();
  const { request } = draft;
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    setPreview(undefined);
    if (request && events.length > 0) await send(request);
  };
  const showRequest = async (): Promise<void> => {
    if (!request || !first) return;
    try {
      setPreview(await api.previewReplay(first.id, request));
      setRefusal(undefined);
    } catch (error) {
      setRefusal(explainRefusal(error, urlOf(request)));
    }
  };
  return (
    <Dialog title={title} wide onClose={onClose}>
      <form class="replay-form" onSubmit={submit}>
        {notice?.(draft.typed)}
        <DestinationFields endpointId={endpointId} draft={draft} hasUrl={initialUrl !== undefined} />
        <Target draft={draft} first={first} isBatch={isBatch} />
        {!isBatch && first && draft.draft && (
          <>
            <EditSection
              event={first}
              draft={draft.draft}
              edit={draft.edit}
              onChange={draft.setDraft}
              onReset={draft.reset}
            />
            <SigningSection
              endpointId={endpointId}
              signing={draft.signing}
              isEdited={draft.edit !== undefined}
              isToListener={draft.listener !== undefined}
              onChange={draft.setSigning}
            />
          </>
        )}
        <div class="dialog-actions">
          {!isBatch && request && first && (
            <>
              {isToUrl(request) && (
                <CopyButton
                  kind="quiet"
                  label="Copy as command"
                  text={() => sendCommand(first.id, targetOf(request, first), request)}
                />
              )}
              <Button kind="quiet" onClick={showRequest}>
                Show the request
              </Button>
              <span class="grow" />
            </>
          )}
          {isBusy && isBatch && <Button onClick={stop}>Stop</Button>}
          <SendButton isBusy={isBusy || isLoading} isOff={!request || events.length === 0}>
            {isLoading ? loading : sendings.length > 0 && !isBusy ? 'Send again' : 'Send'}
          </SendButton>
        </div>
      </form>
      {preview && <RequestPreview request={preview} />}
      {refusal && <RefusalNotice refusal={refusal} />}
      {isBatch && (isBusy || sendings.length > 0) && <Progress sendings={sendings} total={events.length} />}
      <div class="results col" aria-live="polite">
        {sendings.map(one => (
          <Outcome
            key={one.id}
            sending={one}
            label={events.find(event => event.id === one.id)?.label ?? ''}
            open={!isBatch}
          />
        ))}
      </div>
    </Dialog>
  );
}

const SendButton = ({ isBusy, isOff, children }: { isBusy: boolean; isOff: boolean; children: string }) => (
  <Button kind="primary" icon="replay" type="submit" busy={isBusy} disabled={isOff}>
    {children}
  </Button>
);

const titleOf = (events: readonly ReplayedEvent[]): string =>
  events.length > 1
    ? `Replay ${formatCount(events.length, 'event')}`
    : `Replay ${visibleLine(events[0]?.label ?? 'event').slice(0, 60)}`;

/** The whole event: its path and query decide where it goes. */
function useFirstEvent(id: string | undefined): EventDetail | undefined {
  const load = async () => (id === undefined ? undefined : (cachedEvent(id) ?? (await api.event(id))));
  const query = useQuery(id ?? '', load);
  return query.value ?? (id === undefined ? undefined : cachedEvent(id));
}

type TargetProps = { draft: ReplayDraft; first: EventDetail | undefined; isBatch: boolean };

const Target = ({ draft: { request, appendPath }, first, isBatch }: TargetProps) => (
  <p class="replay-target soft breaks" role="status">
    {!request &&
      "Sends the original method, headers and body, plus the event ID in x-service-replay. Credentials aren't stored, so they aren't sent."}
    {request && !isToUrl(request) && (
      <>
        <code>{visibleLine(request.listener)}</code> sends it to its own target, and the response comes back here.
      </>
    )}
    {request && isToUrl(request) && (
      <>
        Sends to{' '}
        <code>{visibleLine(`${isBatch ? '' : `${first?.method ?? ''} `}${targetOf(request, first)}`.trim())}</code>
        {isBatch && appendPath && ' and …'}
      </>
    )}
  </p>
);

const maxShownChars = 20_000;

/** What a replay would send, as the server has prepared it. */
function RequestPreview({ request }: { request: ReplayDryRun }) {
  const { method, url, headers, body, bodyEncoding } = request;
  const bytes = bytesOf(body, bodyEncoding);
  const text = utf8Text(bytes);
  return (
    <section aria-labelledby="request-preview">
      <h3 id="request-preview" class="panel-title">
        The request, not sent yet
      </h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable by keyboard. */}
      <pre class="code" tabIndex={0}>
        {visibleLine(`${method} ${url}`)}
        {'\n'}
        {headers.map(([name, value]) => `${visibleLine(`${name}: ${headerText(value)}`)}\n`).join('')}
        {'\n'}
        {text === undefined
          ? `(${formatBytes(bytes.length)} of binary data)`
          : visibleText(text.slice(0, maxShownChars))}
        {text !== undefined && text.length > maxShownChars && '\n… truncated here; all of it is sent'}
      </pre>
    </section>
  );
}
