/* One endpoint of a session: its feed, its deliveries, the position on the server and the reports of responses. */
import type { ReplayEdit } from '../../core/replay/edit-schema.ts';
import { isEdit } from '../../core/replay/replay-edit.ts';
import type { EventDetail } from '../../features/events/model.ts';
import type { FeedPage } from '../../features/feed/model.ts';
import { type Api, whenRefused } from '../client/api.ts';
import { type Io, OperationError } from '../io.ts';
import { fromDetail, fromFeed, fromReplay } from './captured.ts';
import { createDeliveries } from './deliveries.ts';
import { createFeedReader } from './feed-reader.ts';
import { askServer, isWanted, wantedBy } from './matching.ts';
import type { CapturedEvent, DeliveryCause, SessionEvent, TargetResponse } from './model.ts';
import type { ListenOptions } from './options.ts';
import { createPause, type EndpointTask } from './pause.ts';
import { createPosition } from './position.ts';
import { type ListenerRequest, type LocalAnswer, openReplayChannel } from './replay-channel.ts';
import { createReports } from './reports.ts';
import type { Start } from './start-position.ts';
import type { Delivery, How, Target } from './target.ts';

/** An endpoint and its start position. */
export type EndpointStart = Start & { endpoint: { id: string; name: string } };

/** A target with its map; without a map, it receives the events that no map matches. */
export type SessionLane = { target: Target; map: ListenOptions['maps'][number] | undefined };

/** The most event ids that are remembered as belonging to this endpoint. */
const maxKnownIds = 20_000;

export function createEndpointListener(given: {
  io: Io;
  api: Api;
  start: EndpointStart;
  lanes: readonly SessionLane[];
  options: Pick<ListenOptions, 'name' | 'where' | 'policy'>;
  stopping: AbortSignal;
  aborting: AbortSignal;
  isPaused: () => boolean;
  say: (event: SessionEvent) => void;
  /** Called when the number of unsettled events may have changed. */
  tellBehind: () => void;
  hintFor: (event: CapturedEvent, answer: TargetResponse, isBodyEdited: boolean) => Promise<string | null>;
  onState: (problem: string | undefined) => void;
  onStop: (reason: string) => void;
}) {
  const { io, api, start, lanes, options, stopping, aborting, say, tellBehind } = given;
  const { endpoint } = start;
  const pause = createPause(io, stopping);
  const notify = (text: string): void => say({ kind: 'notice', text });
  const task: EndpointTask = { api, endpointId: endpoint.id, pause, signal: stopping, notify };
  const maps = lanes.flatMap(({ map }) => (map ? [map] : []));
  const rest = lanes.findIndex(({ map }) => map === undefined);
  const targets = lanes.map(({ target }) => target);
  const ask = askServer(api, endpoint.id, stopping);
  /** The targets of each event, by number. */
  const known = new Map<string, readonly number[]>();
  /** The last known number of events on the server after the last one read. */
  let unread = start.behind;

  const position = createPosition({
    ...task,
    name: options.name,
    etag: start.etag,
    onSaved(behind) {
      // With a filter, the server also counts events that do not match.
      if (options.where !== undefined) return;
      // While the feed is being read, its count is newer.
      const isReading = deliveries.wantsMore();
      unread = isReading ? Math.min(unread, behind) : Math.max(0, behind - deliveries.places());
      tellBehind();
    },
  });
  const reports = createReports(task);
  const read = readEvents(api, endpoint, aborting);
  const deliveries = createDeliveries({
    ...given,
    clock: io.clock,
    targets,
    policy: options.policy,
    pause,
    read,
    report: ({ attempt }) => attempt && reports.add(attempt),
    onPosition: position.moveTo,
  });

  /** Events are added only after the targets of all events of the page are known, so that a page can be read again. */
  const takePage = async (page: FeedPage, after: string): Promise<void> => {
    const events = page.events.map(summary => ({ summary, captured: fromFeed(endpoint, summary) }));
    const wanted = await wantedBy(maps, { after, until: page.cursor, events }, ask);
    if (stopping.aborted) return;
    if (page.truncated) notify('some events were removed by retention before they were delivered');
    unread = page.more ? Math.max(1, unread - events.length) : 0;
    for (const [at, { summary, captured }] of events.entries()) {
      // The output no longer has a reader: further events are neither printed nor settled.
      if (stopping.aborted) return;
      const byMaps = wanted[at] ?? [];
      const to = byMaps.length > 0 || rest < 0 ? byMaps : [rest];
      remember(summary.id, to);
      if (captured) deliveries.add(captured, summary.cursor, to);
      else deliveries.leaveOut(emptyEvent(summary), summary.cursor, 'the event is damaged on the server');
    }
    if (stopping.aborted) return;
    deliveries.endPage(page.cursor);
    tellBehind();
  };
  const emptyEvent = (summary: FeedPage['events'][number]): CapturedEvent =>
    fromFeed(endpoint, { ...summary, rawHeaders: [], payloadRaw: '', payloadEncoding: 'utf8' }) as CapturedEvent;
  const remember = (id: string, to: readonly number[]): void => {
    known.set(id, to);
    if (known.size > maxKnownIds) for (const first of known.keys().take(1)) known.delete(first);
  };

  const reader = createFeedReader({
    ...task,
    clock: io.clock,
    where: options.where,
    after: start.cursor,
    untilWanted: deliveries.untilWanted,
    onPage: takePage,
    onState: given.onState,
  });

  /** The targets that got the event, or else those whose maps match it. @throws OperationError without a target */
  const targetsOf = (event: CapturedEvent): Target[] => {
    const fitting = lanes.flatMap(({ map }, at) => (map && isWanted(map, event) ? [at] : []));
    const numbers = known.get(event.id) ?? (fitting.length > 0 || rest < 0 ? fitting : [rest]);
    if (numbers.length === 0) throw new OperationError(`no target is configured for ${event.id}`);
    return numbers.flatMap(at => targets[at] ?? []);
  };
  const sendTo = async (target: Target, event: CapturedEvent, how: How, cause: DeliveryCause): Promise<Delivery> => {
    const delivery = await target.deliver(event, aborting, how);
    const about = { event, target: target.name, attempt: 1, answer: delivery.answer, cause };
    if (delivery.answer.isOk) say({ kind: 'answered', ...about });
    else {
      const hint = await given.hintFor(event, delivery.answer, await isBodyEdited(event, how, read));
      say({ kind: 'failed', ...about, next: 'none', nextAt: null, hint });
    }
    return delivery;
  };

  /** Delivers a replay from the server to the first target that accepts the event. The server itself stores the response. */
  const deliverReplay = async (request: ListenerRequest): Promise<LocalAnswer> => {
    const event = fromReplay(endpoint, request);
    const target = targetsOf(event)[0] as Target;
    const { signed: isSigned, edited: isEdited, timeoutMs } = request;
    const { answer, attempt } = await sendTo(target, event, { replay: { isSigned, isEdited, timeoutMs } }, 'replay');
    const { status, headers, body, isCut: truncated, ms: durationMs, error } = answer;
    const destination = attempt?.destination ?? target.url;
    // An exit code is not an HTTP status.
    if (status === null || target.url === null) {
      if (answer.isOk) return { kind: 'answered', destination, status: 200, headers, body, truncated, durationMs };
      return { kind: 'failed', destination, reason: error ?? '', durationMs };
    }
    // Like in reports: without the secrets of this machine, in case the target has echoed them.
    const { response } = attempt ?? {};
    const said = response ? { ...response, body: Buffer.from(response.body, response.bodyEncoding) } : nothing;
    return { kind: 'answered', destination, status, ...said, durationMs };
  };
  const nothing = { headers: [], body: new Uint8Array(), truncated: false };

  const openChannel = () =>
    openReplayChannel({
      api,
      endpointId: endpoint.id,
      name: options.name,
      targets: targets.map(({ name }) => name),
      deliver: deliverReplay,
      onState(state) {
        // The reader of the feed reports the cause. A server without this operation does not support replays to listeners.
        if (state.kind === 'ended' && !stopping.aborted)
          notify(`not receiving replays from the server: ${state.reason}`);
      },
    });

  return {
    endpoint,
    wake: deliveries.wake,
    untilIdle: deliveries.untilIdle,
    skip: deliveries.skip,
    has: (eventId: string): boolean => known.has(eventId),
    behind: (): number => deliveries.unsettled() + unread,

    /** @throws errors that end the listening to this endpoint */
    async run(): Promise<void> {
      const channel = targets.length > 0 ? openChannel() : undefined;
      // They end with the session, and nothing waits for them: `flush` sends the rest.
      for (const work of [deliveries, position, reports]) void work.run();
      try {
        await reader.run();
      } finally {
        await channel?.close();
      }
    },

    /** Sends an event now, out of order. @throws AppError if the edit does not fit, OperationError without a target */
    async sendNow(event: CapturedEvent, edit: ReplayEdit): Promise<TargetResponse[]> {
      const cause = isEdit(edit) ? 'edited' : 'again';
      return Promise.all(
        targetsOf(event).map(async target => {
          const { answer, attempt } = await sendTo(target, event, { edit }, cause);
          if (attempt) reports.add(attempt);
          if (answer.isOk && cause === 'again') deliveries.settle(event.id, target, answer);
          return answer;
        }),
      );
    },

    /** Saves the position and sends the remaining reports. */
    async flush(): Promise<void> {
      await Promise.all([
        position.flush().catch((error: Error) => notify(`the position could not be saved: ${error.message}`)),
        reports.flush(),
      ]);
    },
  };
}

type Read = (eventId: string) => Promise<CapturedEvent | undefined>;

/** Reads an event as it was captured; undefined if it no longer exists. */
const readEvents =
  (api: Api, endpoint: EndpointStart['endpoint'], signal: AbortSignal): Read =>
  eventId =>
    api
      .call<EventDetail>('GET', `/api/events/${eventId}`, { signal })
      .then(event => fromDetail(endpoint, event))
      .catch(whenRefused(404, () => undefined));

/** Whether the target got another body than the captured one, and no new signature from the server. */
async function isBodyEdited(event: CapturedEvent, { edit, replay }: How, read: Read): Promise<boolean> {
  if (isEdit({ ...edit, headers: [] })) return true;
  if (!replay?.isEdited || replay.isSigned) return false;
  // The server does not say what was edited.
  const captured = await read(event.id).catch(() => undefined);
  return captured !== undefined && !Buffer.from(captured.body).equals(event.body);
}
