/* Alerts: their evaluation, their channels, and the operator's alerts about storage and backup. */
import { alertChangesKeptMs, alertQueueName } from '../core/alert.ts';
import { rateLimited } from '../core/errors.ts';
import { parseWhere } from '../core/where.ts';
import { createAlertSender } from '../features/alerts/channels.ts';
import { checkEveryMs, createEvaluation } from '../features/alerts/evaluation.ts';
import { createObserve } from '../features/alerts/observe.ts';
import { createAlertsService } from '../features/alerts/service.ts';
import { createStorageAlert, type StorageState } from '../features/alerts/storage-alert.ts';
import { createAlertsStore, type OperatorSubject } from '../features/alerts/store.ts';
import { createAlertQueueKind } from '../features/alerts/work.ts';
import { createRateLimiter } from '../http/rate-limit.ts';
import type { Readiness } from '../http/readiness.ts';
import { createMailer, type Mailer } from '../net/mail.ts';
import type { ContinuousBackup } from './backup.ts';
import type { Infrastructure } from './infrastructure.ts';
import type { SharedServices } from './shared.ts';

const sweepEveryMs = 600_000;
const storageEveryMs = 15_000;
const testEmailsPerMinute = 10;
const hourMs = 3_600_000;
/** Alerts can name any address: a team may not flood one, with however many alerts. */
const emailsPerHour = 30;

/** @param stuckForward for how long a forward of the endpoint has failed, ms; 0: none fails */
export function wireAlerts(services: SharedServices, stuckForward: (endpoint: number) => Promise<number>) {
  const { infrastructure, endpoints, background, search, readiness, metrics, feed, lastSeq } = services;
  const { schemaLearner, queues, captureLoad, notifications, subscriptionFeeder, backup } = services;
  const { config, database, clock, random, sealer, every, runsQueues, outbound } = infrastructure;
  const store = createAlertsStore(database);
  const mailer = config.smtp && createMailer(config.smtp);
  const send = createAlertSender({ outbound, mailer, now: clock.now });
  const limiter = createRateLimiter(clock.monotonic);
  const emailLimiter = createRateLimiter(clock.monotonic, hourMs);
  const takeEmail = (teamId: string): number => emailLimiter.take(teamId, emailsPerHour);
  const onChanges = (): void => {
    notifications.imported('alerts');
    subscriptionFeeder.alertsChanged();
  };
  const rules = createAlertsService({
    onChange: onChanges,
    store,
    queues,
    sealer,
    clock,
    random,
    endpoint: endpoints.owned,
    lastSeq,
    catchUp: schemaLearner.catchUp,
    send,
    linkTo: id => `${config.baseUrl}/app/endpoints/${id}`,
    canMail: mailer !== undefined,
    limitTests: ({ accountId, teamId }) => {
      const waitS = limiter.take(accountId, testEmailsPerMinute) || takeEmail(teamId);
      if (waitS > 0) throw rateLimited(waitS);
    },
  });
  const evaluation = createEvaluation({
    store,
    observe: createObserve({
      store,
      matching: feed.matching,
      matchingAmong: async (alert, where, seqs) => {
        const endpoint = await endpoints.owned(alert, alert.endpointId);
        return search.createEventFilter(parseWhere(where), endpoint).select(seqs);
      },
      learn: schemaLearner.wake,
      isBusy: () => captureLoad.isWaiting() || captureLoad.isHigh(),
      stuckForward,
    }),
    queues,
    addJob: background.add,
    clock,
    random,
    onChanges,
  });
  queues.register(
    alertQueueName,
    createAlertQueueKind({
      store,
      channelOf: rules.channelOf,
      toMessage: rules.toMessage,
      send,
      clock,
      takeEmail,
      onSent: metrics.alert,
    }),
  );
  const removeOldChanges = () => store.removeChangesBefore(clock.now() - alertChangesKeptMs);
  if (runsQueues) {
    every(checkEveryMs, 'checking alerts', evaluation.wake);
    every(sweepEveryMs, 'removing the queues of old alerts', store.sweep);
    every(sweepEveryMs, 'removing old changes of alerts', removeOldChanges);
    if (mailer && config.alertEmail !== undefined) {
      const watch = { infrastructure, store, mailer, to: config.alertEmail };
      watchState(watch, 'storage', () => storageState(readiness));
      if (config.backup) watchState(watch, 'backup', () => backupState(backup, config.backup?.everyMs ?? 0));
    }
  }
  return { rules, evaluation, removeOldChanges, countFiring: store.countFiring };
}

async function storageState(readiness: Readiness): Promise<StorageState | undefined> {
  const problem = await readiness.problem();
  if (problem === 'stopping') return undefined;
  if (problem !== undefined) return { level: 'failing', reason: `Deliveries are refused: ${problem}.` };
  if (readiness.isDiskLow())
    return { level: 'low', reason: 'The disk is filling up. When it is full, deliveries are refused.' };
  return { level: 'ok', reason: '' };
}

/** The operator gets a mail when the backup is this many intervals late. */
const lateIntervals = 10;

async function backupState(backup: ContinuousBackup, everyMs: number): Promise<StorageState | undefined> {
  const status = await (await backup.service())?.status();
  if (!status) return undefined;
  if (status.ageS * 1000 <= everyMs * lateIntervals) return { level: 'ok', reason: '' };
  const why = status.problem === null ? '' : `: ${status.problem}`;
  return { level: 'failing', reason: `Changes of the last ${status.ageS} seconds are not in ${status.store}${why}.` };
}

type Watch = {
  infrastructure: Infrastructure;
  store: ReturnType<typeof createAlertsStore>;
  mailer: Mailer;
  to: string;
};

function watchState(
  { infrastructure: { config, clock, random, log, every }, store, mailer, to }: Watch,
  about: OperatorSubject,
  state: () => Promise<StorageState | undefined>,
): void {
  const check = createStorageAlert({
    about,
    state,
    store,
    mailer,
    to,
    server: config.baseUrl,
    clock,
    random,
    onError: reason => log.error(`the alert about ${about} could not be sent`, { reason }),
  });
  every(storageEveryMs, `checking the ${about}`, check);
}
