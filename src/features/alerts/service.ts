/*
 * Alerts: conditions on an endpoint that notify people. The whole team shares them. Connected apps cannot see them, because
 * alerts send to URLs. The channel is encrypted, because such URLs are credentials.
 */

import { requireUser } from '../../core/access/permissions.ts';
import type { Principal } from '../../core/access/principal.ts';
import { alertErrorOf, alertErrors, alertQueueName, dueAtOnce, reportingKinds } from '../../core/alert.ts';
import type { Clock } from '../../core/clock.ts';
import { inField, invalid, invalidAt, limitReached, notFound } from '../../core/errors.ts';
import { newId, type RandomBytes } from '../../core/ids/ids.ts';
import { withoutPath } from '../../core/network/destination.ts';
import { pick } from '../../core/pick.ts';
import { type Sealer, sealPurpose } from '../../core/secrets/seal.ts';
import { readName } from '../../core/text.ts';
import { parseWhere } from '../../core/where.ts';
import { kindTakes, maxAlertsPerEndpoint } from '../../shared/alerts.ts';
import type { QueuesService } from '../queues/service.ts';
import type { Channel, SendAlert } from './channels.ts';
import { type AlertState, newState } from './conditions.ts';
import { type Message, type Notification, toChangeRow } from './message.ts';
import type { Alert, AlertChange, AlertInput, AlertList, AlertTest } from './model.ts';
import { eventsThatCount } from './observe.ts';
import { readChannel } from './read-channel.ts';
import type { AlertRow, AlertsStore } from './store.ts';

export type AlertsService = ReturnType<typeof createAlertsService>;

type Who = Pick<Principal, 'teamId' | 'accountId' | 'app' | 'isReadOnly'>;
type Rule = Pick<AlertRow, 'kind' | 'minutes' | 'count' | 'filter'>;

export function createAlertsService(options: {
  store: AlertsStore;
  queues: Pick<QueuesService, 'abort' | 'removeQueueStatements' | 'reopenItemsStatements' | 'wake' | 'wakeStatements'>;
  sealer: Sealer;
  clock: Clock;
  random: RandomBytes;
  /** @throws not_found */
  endpoint: (principal: Pick<Principal, 'teamId'>, id: string) => Promise<{ seq: number; id: string; name: string }>;
  /** The highest row number of an event. */
  lastSeq: () => Promise<number>;
  /** Waits a moment until the schemas of the stored events are learned. */
  catchUp: () => Promise<void>;
  send: SendAlert;
  /** The endpoint's page in the dashboard. */
  linkTo: (endpointId: string) => string;
  canMail: boolean;
  /** @throws rate_limited when the account or the team sends too many emails */
  limitTests: (principal: Who) => void;
  /** Called after a change of the state of an alert was stored. */
  onChange: () => void;
}) {
  const { store, queues, sealer, clock, random, endpoint: findEndpoint, lastSeq, catchUp, send, linkTo } = options;

  const channelOf = ({ id, channel, channelType }: Pick<AlertRow, 'id' | 'channel' | 'channelType'>) => {
    const text = sealer.open(channel, sealPurpose.alertChannel(id));
    return text === undefined ? undefined : { ...(JSON.parse(text) as Omit<Channel, 'type'>), type: channelType };
  };
  const sealChannel = (id: string, { type, ...rest }: Channel) => ({
    channelType: type,
    channel: Buffer.from(sealer.seal(JSON.stringify(rest), sealPurpose.alertChannel(id))),
  });

  /** @param secret shown in this response; null if it is not */
  const toAlert = (row: AlertRow, secret: string | null = null): Alert => {
    const { url = null, to = null } = channelOf(row) ?? {};
    const { code: lastErrorCode, status: lastErrorStatus, isFinal: lastErrorIsFinal } = alertErrorOf(row.lastError);
    return {
      ...pick(row, 'id', 'name', 'kind', 'minutes', 'count', 'enabled', 'firing', 'changedAt', 'lastSentAt'),
      ...pick(row, 'lastError', 'createdAt'),
      ...{ lastErrorCode, lastErrorStatus, lastErrorIsFinal },
      where: row.filter.length === 0 ? null : row.filter.toString(),
      channel: { type: row.channelType, url, to, secret },
    };
  };

  /** The state of an alert that starts now: events stored before do not count. */
  const start = async (kind: AlertRow['kind'], endpoint: number) => {
    const isAboutSchemas = reportingKinds.has(kind);
    if (isAboutSchemas) await catchUp();
    const newest: Partial<Record<AlertRow['kind'], number>> = isAboutSchemas ? await store.newestSchemas(endpoint) : {};
    const position = newest[kind] ?? (await lastSeq());
    return { position, state: Buffer.from(JSON.stringify(newState(await store.clock()))), dueAt: dueAtOnce };
  };

  const readRule = (kind: AlertRow['kind'], given: Pick<AlertInput, 'where' | 'minutes' | 'count'>): Rule => {
    const { where, minutes, count } = given;
    const takes = kindTakes[kind];
    if (takes.minutes?.isRequired && minutes == null) throw invalidAt(['minutes'], `required for ${kind}`);
    // A filter that has no effect is refused, so that it is not mistaken for a working filter. `minutes` and `count` are shown as
    // null.
    if (where && !takes.where) throw invalidAt(['where'], `an alert of kind ${kind} has none`);
    const rule = {
      kind,
      minutes: takes.minutes ? (minutes ?? takes.minutes.offered) : null,
      count: takes.count ? (count ?? takes.count.offered) : null,
      filter: Buffer.from(parseWhere(where ?? '').text),
    };
    if (where && takes.isCondition) checkWithinLimits(rule);
    return rule;
  };
  const find = async (principal: Who, endpointId: string, id: string) => {
    requireUser(principal);
    const endpoint = await findEndpoint(principal, endpointId);
    const own = { teamId: principal.teamId, endpoint: endpoint.seq };
    const row = await store.find(own, id);
    if (!row) throw notFound('alert');
    return { own, row, endpoint };
  };
  const toMessage = (
    alert: Pick<AlertRow, 'id' | 'name' | 'kind'> & { endpointId: string; endpointName: string },
    notification: Notification,
  ): Message => ({
    ...notification,
    alert: pick(alert, 'id', 'name', 'kind'),
    endpoint: { id: alert.endpointId, name: alert.endpointName },
    link: linkTo(alert.endpointId),
  });

  /** Drops the queued notifications about the former condition. */
  const dropWaiting = async (id: string): Promise<void> => {
    await store.write(queues.removeQueueStatements(alertQueueName, id));
    queues.abort(alertQueueName, id);
  };
  /** Tries the new channel at once, without the pause after failures of the former one. */
  const hastenWaiting = async (id: string): Promise<void> => {
    const waiting = await store.waiting(id);
    if (waiting.length === 0) return;
    await store.write([...queues.reopenItemsStatements(waiting), ...queues.wakeStatements(alertQueueName, id)]);
    queues.wake(alertQueueName, id);
  };

  /** Tells agents that an alert that fired does not fire any more, because a person changed or deleted it. */
  const resolve = async (row: AlertRow, reason: string): Promise<void> => {
    if (!(JSON.parse(row.state.toString()) as AlertState).isFiring) return;
    const change = { firing: false, reason, items: [], count: null };
    await store.write([store.addChangeStatement(toChangeRow(row, change, { at: clock.now(), random }))]);
    options.onChange();
  };

  return {
    channelOf,
    toMessage,

    /** Oldest first. @throws not_found, forbidden for an app */
    async list(principal: Who, endpointId: string): Promise<AlertList> {
      requireUser(principal);
      const { seq } = await findEndpoint(principal, endpointId);
      const rows = await store.listOf({ teamId: principal.teamId, endpoint: seq });
      const alerts = rows.map(row => toAlert(row));
      return { alerts: principal.isReadOnly ? alerts.map(toReadOnly) : alerts, canEmail: options.canMail };
    },

    /** @throws invalid, not_found, limit_reached, forbidden for an app */
    async create(principal: Who, endpointId: string, request: AlertInput): Promise<Alert> {
      requireUser(principal);
      const name = inField(['name'], () => readName(request.name));
      const rule = readRule(request.kind, request);
      const channel = readChannel(request.channel, { random, canMail: options.canMail });
      const { seq: endpoint } = await findEndpoint(principal, endpointId);
      const createdAt = clock.now();
      const id = newId('alr', createdAt, random);
      const row = {
        id,
        endpoint,
        name,
        ...rule,
        ...sealChannel(id, channel),
        enabled: request.enabled ?? true,
        ...(await start(rule.kind, endpoint)),
        createdAt,
      };
      if (await store.insertWithin(maxAlertsPerEndpoint, principal, row)) {
        const shown = channel.type === 'webhook' ? channel.secret : null;
        return toAlert({ ...row, firing: false, changedAt: null, lastSentAt: null, lastError: null }, shown);
      }
      await findEndpoint(principal, endpointId);
      throw limitReached(`an endpoint has at most ${maxAlertsPerEndpoint} alerts: delete one first`);
    },

    /**
     * A new condition, or `enabled`, resets the alert and drops queued notifications. A new channel gets them at once. @throws
     * invalid, not_found, forbidden for an app
     */
    async change(principal: Who, endpointId: string, id: string, given: AlertChange): Promise<Alert> {
      const { own, row } = await find(principal, endpointId, id);
      if (Object.values(given).every(value => value === undefined))
        throw invalid('invalid body: give at least one field');
      const { name: givenName, where, minutes, count, channel: givenChannel, enabled } = given;
      const name = givenName === undefined ? undefined : inField(['name'], () => readName(givenName));
      const isNewRule = [where, minutes, count, enabled].some(value => value !== undefined);
      const rule = readRule(row.kind, {
        where: where === undefined ? row.filter.toString() : where,
        minutes: minutes === undefined ? row.minutes : minutes,
        count: count === undefined ? row.count : count,
      });
      const before = channelOf(row);
      const channel =
        givenChannel && readChannel(givenChannel, { random, canMail: options.canMail, ...(before && { before }) });
      const changed = await store.change(own, id, {
        ...(name !== undefined && { name }),
        ...(isNewRule && { ...rule, ...(await start(row.kind, row.endpoint)), firing: false }),
        ...(enabled !== undefined && { enabled }),
        ...(channel && { ...sealChannel(id, channel), lastError: null }),
      });
      if (!changed) throw notFound('alert');
      if (isNewRule) await resolve(row, 'the alert was changed');
      if (isNewRule) await dropWaiting(id);
      else if (channel) await hastenWaiting(id);
      const isNewSecret = channel?.type === 'webhook' && channel.secret !== before?.secret;
      return toAlert(changed, isNewSecret ? channel.secret : null);
    },

    /** Queued notifications are dropped. @throws not_found, forbidden for an app */
    async remove(principal: Who, endpointId: string, id: string): Promise<void> {
      const { own, row } = await find(principal, endpointId, id);
      if (!(await store.remove(own, id))) throw notFound('alert');
      await resolve(row, 'the alert was deleted');
      queues.abort(alertQueueName, id);
    },

    /** Sends a test notification now, without retries. @throws not_found, rate_limited, forbidden for an app */
    async test(principal: Who, endpointId: string, id: string): Promise<AlertTest> {
      const { row, endpoint } = await find(principal, endpointId, id);
      if (row.channelType === 'email') options.limitTests(principal);
      const channel = channelOf(row);
      if (!channel) {
        const error = `${alertErrors.channelUnreadable}: set the channel again`;
        return { ok: false, status: null, error, errorCode: 'channel_unreadable' };
      }
      const at = clock.now();
      const notification: Notification = {
        id: newId('msg', at, random),
        type: 'alert.test',
        at,
        reason: 'a test: this channel works',
        items: [],
        count: null,
        held: 0,
      };
      const message = toMessage({ ...row, endpointId: endpoint.id, endpointName: endpoint.name }, notification);
      const { ok, status, error } = await send(channel, message);
      return { ok, status, error, errorCode: alertErrorOf(error).code };
    },
  };
}

const toReadOnly = (alert: Alert): Alert => {
  const { url } = alert.channel;
  return url === null ? alert : { ...alert, channel: { ...alert.channel, url: withoutPath(url) } };
};

/** Checks that the filter is valid together with the terms that Hooktape adds to it. @throws invalid */
function checkWithinLimits(rule: Rule): void {
  try {
    parseWhere(eventsThatCount(rule, rule.filter.toString()));
  } catch {
    throw invalidAt(['where'], 'too long for an alert', 'invalid where: too long for an alert');
  }
}
