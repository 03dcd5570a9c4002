/*
 * Webhook subscriptions of connected apps: an app gives a callback, which must answer a challenge, and gets the occurrences of an
 * event type there. A subscription lives until its time, its app's grant or its endpoint ends, or someone ends it.
 */
import { hashOf } from '../../core/access/credential-hash.ts';
import type { Principal } from '../../core/access/principal.ts';
import type { Clock } from '../../core/clock.ts';
import { AppError, notFound } from '../../core/errors.ts';
import { newToken, type RandomBytes } from '../../core/ids/ids.ts';
import {
  type Dialect,
  EventsError,
  eventsForbidden,
  eventsNotFound,
  toRpcError,
} from '../../core/mcp-events/errors.ts';
import { subscriptionQueue, terminationQueue } from '../../core/mcp-events/subscription.ts';
import { healthy, isDown } from '../../core/network/destination-health.ts';
import { type Sealer, sealPurpose } from '../../core/secrets/seal.ts';
import type { AppSubscription } from '../apps/model.ts';
import type { McpEventsService } from '../mcp-events/service.ts';
import type { QueuesService } from '../queues/service.ts';
import { type Callback, type CallbackTarget, newMessageId } from './callback.ts';
import type { SubscriptionFeeder } from './feeder.ts';
import type { Occurrences } from './occurrences.ts';
import {
  readSubscribe,
  readSubscriptionName,
  type SubscribeParams,
  type SubscriptionName,
  subscriptionId,
} from './params.ts';
import type { ListedSubscription, Subscription, SubscriptionsStore } from './store.ts';
import type { Termination } from './termination.ts';

/** The request that subscribes. */
export type SubscribeContext = {
  principal: Principal;
  dialect: Dialect;
  /** Calls the function once the answer was written, or its client has left. */
  onAnswered: (listener: () => void) => void;
};

export type SubscribeResult = {
  id: string;
  refreshBefore: string | null;
  cursor: string;
  truncated: boolean;
  deliveryStatus: {
    active: boolean;
    lastDeliveryAt: string | null;
    lastError: string | null;
    failedSince?: string;
  };
};

export type SubscriptionsService = ReturnType<typeof createSubscriptionsService>;

type App = NonNullable<Awaited<ReturnType<SubscriptionsStore['app']>>> & { id: string };
type AuditEntry = { action: 'subscription.created' | 'subscription.ended'; id: string; endpointId: string | null };

const limits = { app: 20, team: 100 };
const challengesPerMinute = 10;
/** The secret before signs beside the new one for this time. */
const previousMs = 24 * 3_600_000;
/** A callback without a subscription is challenged again after this time. */
const verifiedMs = 30 * 24 * 3_600_000;
/** A start that is so far back that finding its first occurrence takes long begins where the search has come to. */
const maxStartReads = 20;
const maxEndedTogether = 100;

const toIso = (at: number): string => new Date(at).toISOString();

export function createSubscriptionsService(options: {
  store: SubscriptionsStore;
  queues: Pick<
    QueuesService,
    'createQueueStatements' | 'addItemsStatements' | 'wakeStatements' | 'added' | 'wake' | 'finish' | 'abort'
  >;
  feeder: Pick<SubscriptionFeeder, 'begin'>;
  events: Pick<McpEventsService, 'readWatch' | 'positionOf' | 'cursorOf'>;
  occurrences: Occurrences;
  callback: Callback;
  endpointSeq: (principal: Principal, endpointId: string) => Promise<number>;
  sealer: Sealer;
  /** Counts a challenge. @returns 0, or the seconds until the app may cause one */
  takeChallenge: (appId: string, perMinute: number) => number;
  audit: (principal: Principal, appName: string, entry: AuditEntry) => Promise<void>;
  clock: Pick<Clock, 'now'>;
  random: RandomBytes;
  onError: (error: unknown, fields: Record<string, unknown>) => void;
}) {
  const { store, queues, feeder, events, occurrences, callback, sealer, clock, random, onError } = options;

  const seal = (id: string, target: CallbackTarget): Buffer =>
    Buffer.from(sealer.seal(JSON.stringify(target), sealPurpose.subscription(id)));
  const openTarget = (id: string, sealed: Uint8Array): CallbackTarget | undefined => {
    const text = sealer.open(sealed, sealPurpose.subscription(id));
    return text === undefined ? undefined : (JSON.parse(text) as CallbackTarget);
  };

  /** @throws forbidden for a key and a session */
  const appOf = async ({ credential, app }: Principal): Promise<App> => {
    const found = credential.kind === 'app' && app ? await store.app(app.id) : undefined;
    if (!app || !found) throw eventsForbidden('webhook subscriptions are for apps that are connected with OAuth');
    return { ...found, id: app.id };
  };
  const idOf = ({ accountId, issuer, clientId }: App, { url, name, arguments: given }: SubscriptionName): string =>
    subscriptionId({ principal: [accountId, issuer, clientId], url, name, arguments: given });
  const endOf = ({ ttlMs }: SubscribeParams): number | null => (ttlMs === null ? null : clock.now() + ttlMs);

  /** Everything up to it was accepted or given up. */
  const watermarkOf = async (subscription: Subscription): Promise<string> => {
    const waiting = await store.firstWaiting(subscription.owner);
    const seq = waiting === null ? subscription.position : Math.min(waiting - 1, subscription.position);
    return occurrences.cursorAt(subscription, Math.max(seq, 0));
  };
  const toResult = async (
    subscription: Subscription,
    before: Pick<Subscription, 'failures' | 'failingSince' | 'probeAt'>,
    truncated: boolean,
  ): Promise<SubscribeResult> => {
    const { id, refreshBefore, lastDeliveryAt, lastError } = subscription;
    return {
      id,
      refreshBefore: refreshBefore === null ? null : toIso(refreshBefore),
      cursor: await watermarkOf(subscription),
      truncated,
      deliveryStatus: {
        active: !isDown(before),
        lastDeliveryAt: lastDeliveryAt === null ? null : toIso(lastDeliveryAt),
        lastError,
        ...(before.failingSince !== null && { failedSince: toIso(before.failingSince) }),
      },
    };
  };

  /** @throws EventsError resource_exhausted */
  const requirePlace = async (appId: string, teamId: string): Promise<void> => {
    const full = await store.fullLimit(appId, teamId, limits, clock.now());
    if (full === undefined) return;
    const whose = full === 'app' ? 'this app' : 'the team';
    throw new EventsError('resource_exhausted', `${whose} has ${limits[full]} subscriptions`, {
      limit: `subscriptions per ${full}`,
      max: limits[full],
    });
  };

  /** Challenges that callbacks have not answered yet. */
  const verifying = new Map<string, Promise<void>>();
  /** Parallel subscriptions with one callback wait for one challenge. @throws EventsError */
  const verify = async (app: App, target: CallbackTarget, id: string): Promise<void> => {
    const urlHash = hashOf(target.url);
    if (await store.isVerified(app.id, urlHash)) return;
    const key = `${app.id} ${target.url}`;
    const pending = verifying.get(key) ?? challenge(app, target, { id, urlHash });
    verifying.set(key, pending);
    await pending.finally(() => verifying.delete(key));
  };
  const challenge = async (
    app: App,
    target: CallbackTarget,
    { id, urlHash }: { id: string; urlHash: Uint8Array },
  ): Promise<void> => {
    const waitS = options.takeChallenge(app.id, challengesPerMinute);
    if (waitS > 0)
      throw new EventsError('resource_exhausted', 'too many callbacks are verified: try again later', {
        limit: 'challenges per minute',
        max: challengesPerMinute,
        retryAfterMs: waitS * 1000,
      });
    const reason = await callback.challenge(target, id);
    if (reason !== null)
      throw new EventsError('callback_endpoint', `the callback was not verified: ${reason}`, { reason });
    await store.saveVerified(app.id, urlHash, clock.now());
  };

  /** Where a new subscription begins, and whether retention or `maxAgeMs` took something after its cursor. */
  const startOf = async (
    principal: Principal,
    watch: Awaited<ReturnType<McpEventsService['readWatch']>>,
    { cursor, maxAgeMs }: SubscribeParams,
  ): Promise<{ seq: number; since: number; truncated: boolean }> => {
    const { since, seq: from } = await events.positionOf(principal, watch, cursor);
    let [seq, truncated] = [from, false];
    for (let reads = 0; cursor !== null && reads < maxStartReads; reads++) {
      const at = events.cursorOf(principal, watch, { seq, since });
      const page = await occurrences.page(principal, watch, { cursor: at, limit: 1, maxAgeMs });
      truncated ||= page.truncated;
      const [first] = page.found;
      // A cursor from before a backup was restored is ahead of everything, and becomes that of now.
      seq = first ? first.seq - 1 : page.seq;
      if (first || !page.hasMore) break;
    }
    return { seq, since: Math.min(since, seq), truncated };
  };

  const create = async (
    { principal, dialect, onAnswered }: SubscribeContext,
    app: App,
    id: string,
    params: SubscribeParams,
  ): Promise<SubscribeResult | undefined> => {
    const { teamId, accountId } = principal;
    const watch = await events.readWatch(principal, params.name, params.given);
    await events.positionOf(principal, watch, params.cursor);
    await callback.check(params.url);
    await requirePlace(app.id, teamId);
    const target: CallbackTarget = { url: params.url, secret: params.secret };
    await verify(app, target, id);
    const { seq, since, truncated } = await startOf(principal, watch, params);
    const now = clock.now();
    const endpoint = watch.endpointId === undefined ? null : await options.endpointSeq(principal, watch.endpointId);
    const row = {
      ...{ id, owner: newToken(random), teamId, accountId, appId: app.id, grantId: principal.app?.grantId ?? null },
      ...{ name: watch.name, endpoint, arguments: Buffer.from(params.arguments) },
      ...{ origin: new URL(params.url).origin, sealed: seal(id, target), dialect, since, position: seq },
      ...{ refreshBefore: endOf(params), refreshedAt: now, createdAt: now },
    };
    // A subscription that has run out of time makes room.
    const before = await store.find(id, now);
    if (before && before.ended !== null) await end(before, null);
    if (!(await store.insertWithin(limits, row, now))) return undefined;
    const created = await store.find(id, now);
    if (!created) throw eventsForbidden('the access of this app has ended');
    await options.audit(principal, app.name, { action: 'subscription.created', id, endpointId: created.endpointId });
    beginOnceAnswered(created, onAnswered);
    return toResult(created, healthy, truncated);
  };

  const refresh = async (
    { principal, dialect, onAnswered }: SubscribeContext,
    before: Subscription,
    params: SubscribeParams,
  ): Promise<SubscribeResult | undefined> => {
    const { id, owner } = before;
    const now = clock.now();
    const known = openTarget(id, before.sealed);
    const target: CallbackTarget = { url: params.url, secret: params.secret };
    if (known) target.previous = { secret: known.secret, until: now + previousMs };
    const watch = await occurrences.watchOf(before);
    // A cursor at or behind the position changes nothing, nor does one from before a backup was restored.
    const given = params.cursor === null ? 0 : (await events.positionOf(principal, watch, params.cursor)).seq;
    const asked = given > (await events.positionOf(principal, watch, null)).seq ? 0 : given;
    const change = {
      // Its failures still count: if it fails again it is still down, and what waits is not given up.
      probeAt: null,
      ...(known?.secret !== params.secret && { sealed: seal(id, target) }),
      dialect,
      grantId: principal.app?.grantId ?? null,
      refreshBefore: endOf(params),
      // It also marks attempts from before the refresh, so it always grows.
      refreshedAt: Math.max(now, before.refreshedAt + 1),
      ...(asked > before.position && { position: asked }),
    };
    const isWritten = await store.writeMoved([
      ...store.refreshStatements(before, change),
      ...(asked > before.position ? [store.skipStatement(owner, asked)] : []),
    ]);
    if (!isWritten) return undefined;
    beginOnceAnswered(before, onAnswered);
    return toResult({ ...before, ...change }, before, false);
  };

  /** Those whose answers are not written yet, or that have just begun. */
  const beginning = new Set<Promise<void>>();
  const beginOnceAnswered = (subscription: Subscription, onAnswered: SubscribeContext['onAnswered']): void => {
    const begun = new Promise<void>(resolve => onAnswered(() => resolve(begin(subscription))));
    beginning.add(begun);
    void begun.then(() => beginning.delete(begun));
  };
  /** After the answer was written: sends what waits, at once. Never throws. */
  const begin = async (subscription: Subscription): Promise<void> => {
    const { owner, id } = subscription;
    try {
      const now = clock.now();
      await store.write([
        store.changeStatement(owner, { answered: true }),
        store.hastenStatement(owner, now),
        ...queues.wakeStatements(subscriptionQueue, owner),
      ]);
      // A worker that has seen the callback fail starts again.
      queues.finish(subscriptionQueue, owner);
      queues.wake(subscriptionQueue, owner);
      feeder.begin(subscription);
    } catch (error) {
      onError(error, { subscription: id });
    }
  };

  /**
   * Removes a subscription with everything that waits. @param why what its callback gets to know; null: nothing
   * @returns false if it was removed already
   */
  const end = async (subscription: Subscription, why: EventsError | null): Promise<boolean> => {
    const { id, owner, origin, sealed, dialect, teamId } = subscription;
    const message: Termination | null = why && {
      ...{ id, origin, sealed: sealed.toString('base64'), webhookId: newMessageId('terminated', random) },
      body: JSON.stringify({ type: 'terminated', error: toRpcError(why, dialect, () => {}) }),
    };
    const item = { event: null, detail: Buffer.from(JSON.stringify(message)) };
    const isRemoved = await store.writeMoved([
      ...store.removeStatements(subscription),
      // The queue is due, finds no subscription, and is removed in small steps.
      ...queues.wakeStatements(subscriptionQueue, owner),
      ...(message
        ? [
            ...queues.createQueueStatements(terminationQueue, owner, teamId),
            ...queues.addItemsStatements(terminationQueue, owner, [item]),
          ]
        : []),
    ]);
    if (!isRemoved) return false;
    queues.abort(subscriptionQueue, owner);
    queues.wake(subscriptionQueue, owner);
    if (message) queues.added(terminationQueue, owner);
    return true;
  };

  return {
    openTarget: ({ id, sealed }: Pick<Subscription, 'id' | 'sealed'>) => openTarget(id, sealed),

    /** @throws EventsError, invalid */
    async subscribe(context: SubscribeContext, given: unknown): Promise<SubscribeResult> {
      const { principal } = context;
      const app = await appOf(principal);
      const params = readSubscribe(given);
      const id = idOf(app, params);
      // A parallel request may make or end it in between.
      for (let tries = 0; tries < 3; tries++) {
        const before = await store.find(id, clock.now());
        const result =
          before && before.ended === null
            ? await refresh(context, before, params)
            : await create(context, app, id, params);
        if (result) return result;
      }
      await requirePlace(app.id, principal.teamId);
      throw new AppError('unavailable', 'the subscription is being changed: try again', { retryAfterSeconds: 1 });
    },

    /** @throws EventsError, invalid */
    async unsubscribe({ principal, dialect }: Omit<SubscribeContext, 'onAnswered'>, given: unknown): Promise<void> {
      const app = await appOf(principal);
      const id = idOf(app, readSubscriptionName(given));
      const found = await store.find(id, clock.now());
      if (found && (await end(found, null)) && found.ended === null) {
        await options.audit(principal, app.name, { action: 'subscription.ended', id, endpointId: found.endpointId });
        return;
      }
      // ChatGPT wants no error for what is over.
      if (dialect === 'extension') throw eventsNotFound('subscription');
    },

    /** The subscriptions of the account's apps, by app. */
    async listOf(accountId: string): Promise<Map<string, AppSubscription[]>> {
      const rows = await store.listOf(accountId, clock.now());
      const byApp = Map.groupBy(rows, ({ appId }) => appId);
      return new Map([...byApp].map(([appId, some]) => [appId, some.map(toListed)]));
    },

    /** A person ends a subscription of their app. @throws not_found */
    async remove({ accountId }: Pick<Principal, 'accountId'>, appId: string, id: string): Promise<void> {
      const found = await store.find(id, clock.now());
      const isOwn = found?.accountId === accountId && found.appId === appId && found.ended === null;
      if (!isOwn || !(await end(found, eventsForbidden('a person ended the subscription'))))
        throw notFound('subscription');
    },

    /** Ends the subscriptions whose time, access or endpoint has ended. */
    async endOver(): Promise<void> {
      const now = clock.now();
      for (const subscription of (await store.ended(now)).slice(0, maxEndedTogether)) {
        const { ended } = subscription;
        if (ended === 'time') await end(subscription, null);
        else if (ended === 'endpoint') await end(subscription, eventsNotFound('endpoint'));
        else await end(subscription, eventsForbidden('the access of the app has ended'));
      }
    },

    /** For tests: resolves when every subscription that was answered has begun. */
    begun: () => Promise.all(beginning),

    /** Forgets the callbacks that nothing has used for long. */
    forgetCallbacks: (): Promise<void> => store.removeOldVerified(clock.now() - verifiedMs),
  };
}

function toListed(row: ListedSubscription): AppSubscription {
  const { id, name, endpointId, endpointName, origin, waiting, lastStatus, lastDeliveryAt, createdAt } = row;
  const { where } = JSON.parse(row.arguments.toString()) as { where?: string };
  return {
    ...{ id, name, endpointId, endpointName, where: where ?? '', origin, waiting },
    ...{ lastStatus, lastDeliveryAt, createdAt, refreshBefore: row.refreshBefore },
  };
}
