/* Replays one event, which can be changed and re-signed first, or several, unchanged and in order. The full URL is shown before. */

import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { EventDetail } from '../../../features/events/model.ts';
import type { ReplayDryRun } from '../../../features/replays/model.ts';
import { api } from '../../kit/api.ts';
import { Button, Dialog } from '../../kit/controls.tsx';
import { CopyButton } from '../../kit/copy-button.tsx';
import { confirm } from '../../kit/dialogs.tsx';
import { Form } from '../../kit/form.tsx';
import { formatBytes, formatCount } from '../../kit/format/time.ts';
import { headerText, visibleLine, visibleText } from '../../kit/format/visible.ts';
import { useQuery } from '../../kit/use-query.ts';
import { bytesOf, utf8Text } from '../body/bytes.ts';
import { cachedEvent } from '../event/use-event.ts';
import { sendCommand } from './command.ts';
import { DestinationFields } from './destination-fields.tsx';
import { EditSection } from './edit-body.tsx';
import { Outcome, Progress, RefusalNotice } from './outcome.tsx';
import { codeOf, explainRefusal } from './refusal.ts';
import { isToUrl, type ReplayRequest, targetOf, urlOf } from './request.ts';
import { SigningSection } from './signing-section.tsx';
import { useReplay } from './use-replay.ts';
import { type ReplayForm, useReplayForm } from './use-replay-form.tsx';
import { useSigningSecrets } from './use-signing-secrets.ts';

type ReplayedEvent = { id: string; label: string };

type ReplayDialogProps = {
  endpointId: string;
  /** Oldest first. Undefined while they are loaded. */
  events: ReplayedEvent[] | undefined;
  title?: string;
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
  const { sendings, send, stop } = useReplay({ endpointId, ids: events.map(({ id }) => id), onSent });
  const event = isBatch ? undefined : first;
  const preview = usePreview(first?.id);
  const sent = useRef<ReplayRequest['edit']>(undefined);
  const signing = useSigningSecrets(endpointId, event);
  const form = useReplayForm({
    endpointId,
    event,
    initialUrl,
    async send(request) {
      preview.clear();
      if (!(await signing.allow(request))) return;
      sent.current = request.edit;
      await send(request).catch((error: unknown) => {
        signing.onRefused(request, error);
        throw error;
      });
    },
  });
  const { request, isBusy } = form;
  const toAllow = signing.toAllow(request);
  const sendText = sendings.length > 0 && !isBusy ? 'Send again' : 'Send';
  // A problem at its field needs no notice, unless there is something to do about it.
  const refused = preview.error ?? (form.message || codeOf(form.error) ? form.error : undefined);
  return (
    <Dialog
      title={title}
      wide
      onClose={async () => (isSame(form.edit, sent.current) || (await isDiscarded())) && onClose()}
    >
      <Form
        form={{ ...form, isBusy: isBusy || isLoading, message: '' }}
        class="replay-form"
        submit={isLoading ? loading : toAllow ? `Allow for ${visibleLine(toAllow.host)} and sign` : sendText}
        submitIcon="replay"
        isLocked={!request || events.length === 0}
        isDialog
        cancel={
          <>
            {event && request && (
              <RequestButtons event={event} request={request} onShow={() => preview.show(request)} />
            )}
            {isBusy && isBatch && <Button onClick={stop}>Stop</Button>}
          </>
        }
      >
        {notice?.(form.draft.url)}
        <DestinationFields endpointId={endpointId} form={form} hasUrl={initialUrl !== undefined} />
        <Target form={form} first={first} isBatch={isBatch} />
        {event && (
          <>
            <EditSection event={event} form={form} />
            <SigningSection endpointId={endpointId} form={form} signing={signing} />
          </>
        )}
      </Form>
      {preview.request && <RequestPreview key={preview.count} request={preview.request} />}
      {refused !== undefined && !isBusy && (
        <RefusalNotice refusal={explainRefusal(refused, request ? urlOf(request) : '')} />
      )}
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

const isSame = (one: ReplayRequest['edit'], other: ReplayRequest['edit']): boolean =>
  one === undefined || JSON.stringify(one) === JSON.stringify(other);

const isDiscarded = (): Promise<boolean> =>
  confirm({
    title: 'Discard your changes to the event?',
    text: 'They were not sent.',
    button: 'Discard',
    cancel: 'Keep editing',
  });

function usePreview(id: string | undefined) {
  const [previewed, setPreviewed] = useState<{ request?: ReplayDryRun; error?: unknown; count?: number }>({});
  return {
    ...previewed,
    clear: () => setPreviewed({}),
    async show(request: ReplayRequest): Promise<void> {
      if (id === undefined) return;
      setPreviewed(
        await api.previewReplay(id, request).then(
          // Asked for once more, it is scrolled to once more.
          prepared => ({ request: prepared, count: (previewed.count ?? 0) + 1 }),
          (error: unknown) => ({ error }),
        ),
      );
    },
  };
}

type RequestButtonsProps = { event: EventDetail; request: ReplayRequest; onShow: () => Promise<void> };

const RequestButtons = ({ event, request, onShow }: RequestButtonsProps) => (
  <>
    {isToUrl(request) && (
      <CopyButton
        kind="quiet"
        label="Copy as command"
        text={() => sendCommand(event.id, targetOf(request, event), request)}
      />
    )}
    <Button kind="quiet" onClick={onShow}>
      Show the request
    </Button>
    <span class="grow" />
  </>
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

type TargetProps = { form: ReplayForm; first: EventDetail | undefined; isBatch: boolean };

const Target = ({ form: { request, appendPath }, first, isBatch }: TargetProps) => (
  <p class="replay-target soft breaks" role="status">
    {!request &&
      'Sends the original method, headers and body, and the event ID in x-service-replay. Credentials are not stored and not sent.'}
    {request && !isToUrl(request) && (
      <>
        <code>{visibleLine(request.listener)}</code> sends it to its own target and reports the response here.
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

const showFromStart = (element: HTMLElement | null): void => element?.scrollIntoView({ block: 'start' });

/** What a replay would send, as the server has prepared it. */
function RequestPreview({ request }: { request: ReplayDryRun }) {
  const { method, url, headers, body, bodyEncoding } = request;
  const bytes = bytesOf(body, bodyEncoding);
  const text = utf8Text(bytes);
  return (
    <section aria-labelledby="request-preview" ref={showFromStart}>
      <h3 id="request-preview" class="panel-title">
        Request preview
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
        {text !== undefined && text.length > maxShownChars && '\n… truncated here; sent in full'}
      </pre>
    </section>
  );
}
