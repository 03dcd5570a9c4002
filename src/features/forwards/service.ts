/*
 * Forwards send each event of an endpoint to a URL until it is accepted. The queues decide when (features/queues), the feeder
 * fills them, and work.ts interprets responses; this file has the operations of the API.
 */

import type { InStatement } from '@libsql/client';
import type { MemberAccess, TeamAccess } from '../../core/access/principal.ts';
import type { Clock } from '../../core/clock.ts';
import { conflict, invalid, limitReached, notFound } from '../../core/errors.ts';
import type { OwnRetention } from '../../core/events/retention.ts';
import { forwardQueue, readForward } from '../../core/forward.ts';
import { newId, parseEventId, type RandomBytes } from '../../core/ids/ids.ts';
import { readRowCursor, rowCursor } from '../../core/ids/row-cursor.ts';
import { refusedDestination } from '../../core/network/destination.ts';
import { healthy } from '../../core/network/destination-health.ts';
import { parseWhere } from '../../core/where.ts';
import { maxForwardsPerEndpoint } from '../../shared/forwards.ts';
import type { QueuesService } from '../queues/service.ts';
import { type ForwardColumns, toDelivery, toForward } from './columns.ts';
import type { Feeder } from './feeder.ts';
import type {
  Forward,
  ForwardChange,
  ForwardDeliveryPage,
  ForwardDeliveryQuery,
  ForwardDryRun,
  ForwardInput,
  ForwardSelection,
  ForwardStats,
  ForwardStatsQuery,
} from './model.ts';
import type { ForwardStatistics } from './stats.ts';
import type { ForwardRow, ForwardsStore, ItemKey, VisibleForward } from './store.ts';

export type ForwardsService = ReturnType<typeof createForwardsService>;

const defaultPage = 25;
const maxReplacements = 5;
/** How many items one transaction changes: a few milliseconds of the writer's time. */
const changedTogether = 200;
const sweptTogether = 1000;

type Owner = Pick<TeamAccess, 'teamId' | 'plan'>;
type FoundForward = ForwardRow & VisibleForward;

export function createForwardsService(options: {
  store: ForwardsStore;
  queues: Omit<QueuesService, 'start' | 'stop' | 'idle' | 'register'>;
  feeder: Pick<Feeder, 'add'>;
  statistics: Pick<ForwardStatistics, 'read' | 'sweep'>;
  /** @throws not_found */
  endpoint: (principal: TeamAccess, id: string) => Promise<{ seq: number; id: string } & OwnRetention>;
  /** Events of the endpoint received before this time are visible only if they are pinned. */
  retentionCutoff: (principal: TeamAccess, endpoint: OwnRetention) => number;
  /** The matching events among these. */
  select: (
    principal: TeamAccess,
    endpointId: string,
    where: string,
    seqs: readonly number[],
  ) => Promise<ReadonlySet<number>>;
  /** Why nothing may be forwarded to a URL; undefined if it is allowed, or if its name cannot be resolved now. */
  refusal: (url: string) => Promise<string | undefined>;
  /** Converts settings to rows and back. Headers that cannot be decrypted are left out. */
  columns: Pick<ForwardColumns, 'columns' | 'settings' | 'newSecret'>;
  clock: Clock;
  random: RandomBytes;
}) {
  const { store, queues, feeder, statistics, endpoint: findEndpoint, retentionCutoff, select, refusal } = options;
  const { clock, random } = options;
  const { columns, settings: settingsOf, newSecret } = options.columns;

  const find = async (principal: Owner, endpointId: string, id: string): Promise<FoundForward> => {
    const endpoint = await findEndpoint(principal, endpointId);
    const row = await store.find({ teamId: principal.teamId, endpoint: endpoint.seq }, id);
    if (!row) throw notFound('forward');
    return { ...row, visibleSince: retentionCutoff(principal, endpoint) };
  };
  const show = async (row: FoundForward): Promise<Forward> =>
    toForward(row, settingsOf(row), await store.counts(row), clock.now());
  const shown = async (principal: Owner, endpointId: string, id: string): Promise<Forward> =>
    show(await find(principal, endpointId, id));

  /** The addresses of a name may change later, so each attempt checks them again. @throws invalid */
  const checkDestination = async (url: string): Promise<void> => {
    const reason = await refusal(url);
    if (reason !== undefined) throw refusedDestination('url', reason);
  };
  /** Statements that resume or pause a forward, and probe its destination at once. */
  const enableStatements = (id: string, enabled: boolean): InStatement[] =>
    enabled
      ? [...queues.resumeStatements(forwardQueue, id), ...queues.wakeStatements(forwardQueue, id)]
      : queues.pauseStatements(forwardQueue, id);
  const afterEnabling = (id: string, enabled: boolean): void =>
    enabled ? queues.wake(forwardQueue, id) : queues.finish(forwardQueue, id);
  /** Statements that probe a destination now if it is down or rests. */
  const probeStatements = ({ id, probeAt }: ForwardRow): InStatement[] =>
    probeAt === null ? [] : [store.changeStatement(id, { probeAt: clock.now() })];

  const setEnabled = async (principal: Owner, endpointId: string, id: string, enabled: boolean): Promise<Forward> => {
    const row = await find(principal, endpointId, id);
    await store.write([
      store.changeStatement(id, { enabled }),
      ...(enabled ? probeStatements(row) : []),
      ...enableStatements(id, enabled),
    ]);
    afterEnabling(id, enabled);
    return shown(principal, endpointId, id);
  };

  /** The items that a request selects, some at a time. */
  async function* selected(
    principal: Owner,
    { row, endpointId }: { row: FoundForward; endpointId: string },
    { eventId, where }: ForwardSelection,
    how: 'retry' | 'skip',
  ): AsyncGenerator<ItemKey[]> {
    if (eventId !== undefined) {
      const items = await store.itemsOf(row.id, parseEventId(eventId)?.seq ?? 0);
      if (items.length === 0) throw notFound('unsettled event of this forward');
      return yield items;
    }
    const states = how === 'retry' ? (['failed', 'given_up'] as const) : (['waiting', 'failed', 'given_up'] as const);
    for (let after = 0; ; ) {
      const page = { after, limit: changedTogether };
      const items =
        where !== undefined
          ? await store.itemsIn(row, states, page)
          : how === 'retry'
            ? await store.itemsIn(row, ['given_up'], page)
            : await store.blocked(row, page);
      const last = items.at(-1);
      if (!last) return;
      after = last.seq;
      const seqs = items.map(({ event }) => event);
      const matching = where === undefined ? undefined : await select(principal, endpointId, where, seqs);
      yield items.filter(({ event }) => matching?.has(event) ?? true);
    }
  }

  const act = async (
    principal: Owner,
    endpointId: string,
    id: string,
    request: ForwardSelection,
    how: 'retry' | 'skip',
  ): Promise<Forward | ForwardDryRun> => {
    if (request.eventId !== undefined && request.where !== undefined) throw invalid('give eventId or where, not both');
    if (request.where !== undefined) parseWhere(request.where);
    const row = await find(principal, endpointId, id);
    if (request.dryRun) {
      let matched = 0;
      for await (const items of selected(principal, { row, endpointId }, request, how)) matched += items.length;
      return { matched };
    }
    // Only items that are blocked now are skipped, not their successors in the lanes.
    const last = how === 'skip' && request.eventId === undefined && request.where === undefined ? 'now' : 'all';
    const found: ItemKey[][] = [];
    for await (const items of selected(principal, { row, endpointId }, request, how))
      if (last === 'now') found.push(items);
      else await change(items, how);
    for (const items of found) await change(items, how);
    await store.write([...(how === 'retry' ? probeStatements(row) : []), ...queues.wakeStatements(forwardQueue, id)]);
    // A worker that rests ends once no request is running, and the queue is claimed again.
    if (how === 'retry' && row.probeAt !== null) queues.finish(forwardQueue, id);
    queues.wake(forwardQueue, id);
    return shown(principal, endpointId, id);
  };
  const change = async (items: readonly ItemKey[], how: 'retry' | 'skip'): Promise<void> => {
    const seqs = items.map(({ seq }) => seq);
    if (seqs.length > 0)
      await store.write(how === 'retry' ? queues.reopenItemsStatements(seqs) : queues.removeItemsStatements(seqs));
  };

  return {
    async list(principal: Owner, endpointId: string): Promise<Forward[]> {
      const endpoint = await findEndpoint(principal, endpointId);
      const visibleSince = retentionCutoff(principal, endpoint);
      const rows = await store.listOf({ teamId: principal.teamId, endpoint: endpoint.seq });
      return Promise.all(rows.map(row => show({ ...row, visibleSince })));
    },

    forward: shown,

    /** @throws invalid, not_found, limit_reached */
    async create(principal: MemberAccess, endpointId: string, request: ForwardInput): Promise<Forward> {
      const settings = readForward(request);
      const { seq: endpoint } = await findEndpoint(principal, endpointId);
      await checkDestination(settings.url);
      const createdAt = clock.now();
      const id = newId('fwd', createdAt, random);
      const { accountId, teamId } = principal;
      // The queue is created first, because the feeder adds events to it.
      await store.write([
        ...queues.createQueueStatements(forwardQueue, id, teamId),
        ...(settings.enabled ? [] : queues.pauseStatements(forwardQueue, id)),
      ]);
      const secret = newSecret({ id, secret: null }, createdAt).column;
      const row = { id, endpoint, accountId, declared: false, secret, createdAt, ...columns(id, settings) };
      if (!(await store.insertWithin(maxForwardsPerEndpoint, { teamId }, row))) {
        await store.write(queues.removeQueueStatements(forwardQueue, id));
        await findEndpoint(principal, endpointId);
        throw limitReached(`an endpoint has at most ${maxForwardsPerEndpoint} forwards: delete one first`);
      }
      feeder.add(endpoint);
      return shown(principal, endpointId, id);
    },

    /** Waiting events are sent to the new URL. @throws invalid, not_found */
    async change(principal: Owner, endpointId: string, id: string, request: ForwardChange): Promise<Forward> {
      const row = await find(principal, endpointId, id);
      const before = settingsOf(row);
      const settings = readForward(request, before);
      if (request.url !== undefined) await checkDestination(request.url);
      const isElsewhere = settings.url !== before.url;
      await store.write([
        store.changeStatement(id, { ...columns(id, settings), ...(isElsewhere && healthy) }),
        ...(settings.enabled === before.enabled && !isElsewhere ? [] : enableStatements(id, settings.enabled)),
      ]);
      // The worker with the old settings ends, and the queue is claimed again.
      queues.finish(forwardQueue, id);
      if (settings.enabled) queues.wake(forwardQueue, id);
      return shown(principal, endpointId, id);
    },

    /** @returns a new signing secret, which is shown nowhere else @throws not_found, conflict */
    async replaceSecret(principal: Owner, endpointId: string, id: string): Promise<string> {
      for (let left = maxReplacements; left > 0; left--) {
        const row = await find(principal, endpointId, id);
        const { text, column } = newSecret(row, clock.now());
        if (await store.replaceSecret(row, column)) return text;
      }
      throw conflict('the secret is being replaced by someone else: try again');
    },

    /** Running requests are aborted. @throws not_found */
    async remove(principal: Owner, endpointId: string, id: string): Promise<void> {
      await find(principal, endpointId, id);
      await store.write([store.removeStatement(id), ...queues.pauseStatements(forwardQueue, id)]);
      queues.abort(forwardQueue, id);
      await store.removeOrphans(id);
    },

    async deliveries(
      principal: Owner,
      endpointId: string,
      id: string,
      { state, cursor, limit }: ForwardDeliveryQuery,
    ): Promise<ForwardDeliveryPage> {
      const row = await find(principal, endpointId, id);
      const size = limit === undefined ? defaultPage : Number(limit);
      const rows = await store.items(row, { state, after: readRowCursor(cursor) ?? 0, limit: size + 1 });
      const page = rows.slice(0, size);
      const last = rows.length > size ? page.at(-1) : undefined;
      return { deliveries: page.map(toDelivery), nextCursor: last ? rowCursor(last.seq) : null };
    },

    /** @throws invalid, not_found */
    stats: async (principal: Owner, endpointId: string, id: string, query: ForwardStatsQuery): Promise<ForwardStats> =>
      statistics.read((await find(principal, endpointId, id)).seq, query),

    /** With `dryRun` it only counts. @throws invalid, not_found */
    retry: (principal: Owner, endpointId: string, id: string, request: ForwardSelection) =>
      act(principal, endpointId, id, request, 'retry'),
    /** With `dryRun` it only counts. @throws invalid, not_found */
    skip: (principal: Owner, endpointId: string, id: string, request: ForwardSelection) =>
      act(principal, endpointId, id, request, 'skip'),

    pause: (principal: Owner, endpointId: string, id: string): Promise<Forward> =>
      setEnabled(principal, endpointId, id, false),
    resume: (principal: Owner, endpointId: string, id: string): Promise<Forward> =>
      setEnabled(principal, endpointId, id, true),

    /** Removes given-up items of events that an earlier version removed, what is left of removed forwards, and old statistics. */
    async sweep(): Promise<void> {
      for (let after: number | undefined = 0; after !== undefined; )
        after = await store.removeGone(after, sweptTogether);
      await store.removeOrphans();
      await statistics.sweep();
    },
  };
}
